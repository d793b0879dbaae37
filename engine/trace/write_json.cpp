// JSONL and the one JSON document: the same records, laid out twice.
#include <array>
#include <functional>
#include <ostream>

#include "json_text.h"
#include "ringside/trace/files.h"

namespace ringside {
namespace {

using Sink = std::function<void(const std::string& record)>;

void write_sections(const Trace& trace, const Sink& sink) {
  for (const SectionView& section : trace.sections()) {
    ObjectText record(trace);
    record("type", std::string_view("section"));
    record("name", section.name());
    record("ranks", section.ranks());
    record("attributes", section.attributes());
    sink(record.text());
  }
}

// Of those ranks that came or went.
void write_lives(const Trace& trace, const Sink& sink) {
  for (size_t index = 0; index < trace.sections().size(); ++index)
    for (int rank = 0; rank < trace.sections()[index].ranks(); ++rank) {
      const RankLife life = trace.sections()[index].life(rank);
      if (!life.began_ns && !life.ended_ns) continue;
      ObjectText record(trace);
      record("type", std::string_view("rank"));
      record("section", static_cast<int64_t>(index));
      record("rank", rank);
      record("began_ns", life.began_ns);
      record("ended_ns", life.ended_ns);
      sink(record.text());
    }
}

// `tracks(section, rank, see)` calls see(range) for each range of events.
template <typename Tracks>
void write_events(const Trace& trace, const Sink& sink, Tracks tracks) {
  for (size_t index = 0; index < trace.sections().size(); ++index) {
    const SectionView& section = trace.sections()[index];
    for (int rank = 0; rank < section.ranks(); ++rank)
      tracks(section, rank, [&](const auto& events) {
        for (const auto& event : events) {
          ObjectText record(trace);
          record("type", line_type(event));
          record("section", static_cast<int64_t>(index));
          record("rank", rank);
          visit_fields(event, record);
          sink(record.text());
        }
      });
  }
}

void write_collectives(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) { see(s.collectives(rank)); });
}
void write_memory(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) {
    for (const Category category : kCategories) see(s.memory(rank, category));
  });
}
void write_spans(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) { see(s.spans(rank)); });
}
void write_scalars(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) { see(s.scalars(rank)); });
}
void write_notes(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) { see(s.notes(rank)); });
}

template <typename T>
void write_rows(const Trace& trace, const std::vector<T>& rows, const Sink& sink) {
  for (const T& row : rows) {
    ObjectText record(trace);
    record("type", line_type(row));
    visit_fields(row, record);
    sink(record.text());
  }
}

void write_messages(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) { see(s.messages(rank)); });
}
void write_tables(const Trace& trace, const Sink& sink) {
  for (const TablePtr& table : trace.tables()) write_rows(trace, std::vector<TraceTable>{*table}, sink);
}
void write_table_rows(const Trace& trace, const Sink& sink) {
  write_events(trace, sink, [](const SectionView& s, int rank, auto see) { see(s.rows(rank)); });
}
void write_predictions(const Trace& trace, const Sink& sink) {
  write_rows(trace, trace.rows().predictions, sink);
}
void write_claims(const Trace& trace, const Sink& sink) { write_rows(trace, trace.rows().claims, sink); }
void write_ledger(const Trace& trace, const Sink& sink) { write_rows(trace, trace.rows().ledger, sink); }

template <typename Value>
void write_figures(const Trace& trace, std::string_view type, const std::map<std::string, Value>& figures,
                   const Sink& sink) {
  for (const auto& [name, value] : figures) {
    ObjectText record(trace);
    record("type", type);
    record("name", name);
    record("value", value);
    sink(record.text());
  }
}

void write_outcome(const Trace& trace, const Sink& sink) {
  write_figures(trace, "outcome", trace.rows().outcome, sink);
  write_figures(trace, "outcome_text", trace.rows().outcome_text, sink);
}

void write_summary(const Trace& trace, const Sink& sink) {
  for (const std::string& line : trace.rows().lines) {
    ObjectText record(trace);
    record("type", std::string_view("line"));
    record("text", line);
    sink(record.text());
  }
}

struct Part {
  const char* key;  // of the one document
  void (*write)(const Trace& trace, const Sink& sink);
};
constexpr std::array<Part, 15> kParts = {{{"sections", write_sections},
                                          {"ranks", write_lives},
                                          {"collectives", write_collectives},
                                          {"memory", write_memory},
                                          {"spans", write_spans},
                                          {"scalars", write_scalars},
                                          {"notes", write_notes},
                                          {"messages", write_messages},
                                          {"tables", write_tables},
                                          {"rows", write_table_rows},
                                          {"predictions", write_predictions},
                                          {"claims", write_claims},
                                          {"ledger", write_ledger},
                                          {"outcome", write_outcome},
                                          {"lines", write_summary}}};

}  // namespace

void write_jsonl(const Trace& trace, std::ostream& out) {
  ObjectText header(trace);
  header("ringside_trace", kTraceFileVersion);
  header("scenario", trace.scenario());
  out << header.text() << '\n';
  for (const Part& part : kParts)
    part.write(trace, [&](const std::string& record) { out << record << '\n'; });
  ObjectText end(trace);
  end("type", std::string_view("end"));
  end("complete", trace.complete());
  out << end.text() << '\n';
}

void export_json(const Trace& trace, std::ostream& out) {
  out << "{\"ringside_trace\":" << kTraceFileVersion << ",\"scenario\":" << json_string(trace.scenario())
      << ",\"complete\":" << (trace.complete() ? "true" : "false");
  for (const Part& part : kParts) {
    out << ",\n\"" << part.key << "\":[";
    const char* separator = "\n";
    part.write(trace, [&](const std::string& record) {
      out << separator << record;
      separator = ",\n";
    });
    out << ']';
  }
  out << "}\n";
}

}  // namespace ringside
