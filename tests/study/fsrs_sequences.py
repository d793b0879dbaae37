"""1,000 random sequences of reviews and what py-fsrs 6 (pip: fsrs) makes of them, for fsrs_test.cpp, which draws the same ones.

fsrs_sequences.py FILE           writes FILE
fsrs_sequences.py --check FILE   compares FILE with what py-fsrs says now; 77 where it is not installed
"""
import json
import sys
from datetime import datetime, timedelta, timezone

try:
    from fsrs import Card, Rating, Scheduler
except ImportError:
    sys.exit(77)


class Draws:  # Lehmer 1951: the same few lines in both languages
    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = self.state * 48271 % 2147483647
        return self.state % bound


def steps(draws):
    return [timedelta(minutes=1 + draws.below(60)) for _ in range(draws.below(4))]


def sequence(number):
    draws = Draws(number + 1)
    draws.below(2)  # neighbours begin alike
    scheduler = Scheduler(desired_retention=(70 + draws.below(29)) / 100, learning_steps=steps(draws), relearning_steps=steps(draws),
                          maximum_interval=(36500, 60)[draws.below(2)], enable_fuzzing=False)
    card, now, start = Card(), datetime(2026, 1, 1, tzinfo=timezone.utc), datetime(2026, 1, 1, tzinfo=timezone.utc)
    for _ in range(3 + draws.below(14)):
        kind = draws.below(4)
        if kind == 0:
            now += timedelta(seconds=draws.below(3600))
        elif kind == 1:
            now += timedelta(seconds=draws.below(40 * 86400))
        else:  # when it is due, and up to two hours later
            now = max(now, card.due if card.last_review else now) + timedelta(seconds=draws.below(7200))
        card, _ = scheduler.review_card(card, Rating(1 + (draws.below(4) if kind else draws.below(2) * 2)), now)
    milliseconds = (card.due - start) // timedelta(milliseconds=1)
    later = now + timedelta(days=draws.below(100))
    return [card.stability, card.difficulty, scheduler.get_card_retrievability(card, later), milliseconds,
            card.state.value, -1 if card.step is None else card.step]


def main():
    results = [sequence(number) for number in range(1000)]
    if sys.argv[1] == "--check":
        kept = json.load(open(sys.argv[2]))["results"]
        close = [abs(a - b) <= 1e-9 * max(1, abs(b)) for one, other in zip(results, kept) for a, b in zip(one, other)]
        print(f"{len(results)} sequences, {close.count(False)} of {len(close)} values differ")
        sys.exit(len(kept) != len(results) or not all(close))
    columns = ["stability", "difficulty", "recall", "due_ms", "state", "step"]
    with open(sys.argv[1], "w") as out:
        out.write('{"by": "fsrs_sequences.py, py-fsrs 6", "columns": ' + json.dumps(columns) + ',\n"results": [\n')
        out.write(",\n".join("[%.12g,%.12g,%.12g,%d,%d,%d]" % tuple(one) for one in results) + "\n]}\n")


main()
