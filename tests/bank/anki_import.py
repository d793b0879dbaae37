"""By hand: Anki's own importer (pip: anki) takes `ringside review --export cards.tsv` twice, with a review between.

anki_import.py CARDS.tsv     prints how many notes came, and what the second import changed; 77 where anki is not installed
"""
import os
import sys
import tempfile

try:
    from anki.collection import Collection, CsvMetadata, ImportCsvRequest  # noqa: F401
except ImportError:
    sys.exit(77)


def load(collection, path):
    metadata = collection.get_csv_metadata(path=path, delimiter=None)
    metadata.dupe_resolution = CsvMetadata.DupeResolution.UPDATE
    log = collection.import_csv(ImportCsvRequest(path=path, metadata=metadata)).log
    return len(log.new), len(log.updated), len(log.duplicate), len(log.conflicting)


def scheduling(collection):
    return collection.db.all("select id, due, ivl, reps, lapses, queue, type from cards order by id")


def main():
    path = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(os.path.join(folder, "c.anki2"))
        first = load(collection, path)
        deck = collection.decks.id_for_name("Ringside")
        collection.decks.select(deck)
        reviewed = 0
        for _ in range(5):
            card = collection.sched.getCard()
            if card is None:
                break
            collection.sched.answerCard(card, 3)
            reviewed += 1
        before = scheduling(collection)
        second = load(collection, path)
        after = scheduling(collection)
        print(f"first: {first[0]} new; {reviewed} reviewed; second: {second[0]} new, {second[1]} updated, {second[2]} duplicates, "
              f"{second[3]} conflicting; {collection.note_count()} notes; scheduling {'kept' if before == after else 'CHANGED'}")
        same = before == after and second[0] == 0 and collection.note_count() == first[0] and reviewed == 5
        collection.close()
        sys.exit(not same)


main()
