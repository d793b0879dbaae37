# arrays.py N: sums of N numbers in a list, an array.array and, where it is installed, a numpy array. First what they
# weigh; then each line on stdin is a round, whose number says in which order the sums are taken.
import array, collections, json, platform, sys, time

try:
    import numpy
except ImportError:
    numpy = None

n = int(sys.argv[1])

def tell(**event):
    print(json.dumps(event), flush=True)

def one_by_one(numbers):
    total = 0.0
    for i in range(ONES):
        total += numbers[i]
    return total

numbers = [float(i) for i in range(n)]
shuffled = [numbers[i * 1000003 % n] for i in range(n)]  # the same objects in an order that no cache foresees
packed = array.array("d", numbers)
few, ONES = numbers[:4], 1 << 15
works = {  # what: (how many numbers, the sum)
    "sum(list)": (n, lambda: sum(numbers)),
    "sum(list), shuffled": (n, lambda: sum(shuffled)),
    "sum(array.array)": (n, lambda: sum(packed)),
    "list, one by one": (ONES, lambda: one_by_one(numbers)),
    "sum(list) of 4": (4, lambda: sum(few)),
}
if numpy:
    values, small = numpy.array(numbers), numpy.array(few)
    works.update({
        "numpy.sum(array)": (n, lambda: numpy.sum(values)),
        "numpy.sum(list)": (n, lambda: numpy.sum(numbers)),
        "numpy, one by one": (ONES, lambda: one_by_one(values)),
        "numpy.sum(array) of 4": (4, lambda: numpy.sum(small)),
    })
apart, times = collections.Counter(id(b) - id(a) for a, b in zip(numbers, numbers[1:])).most_common(1)[0]
tell(**{"float": sys.getsizeof(numbers[-1]), "element of an array": packed.itemsize, "version": platform.python_version(),
        "from float to float": abs(apart), "share": times / (n - 1), "slot of a list": (sys.getsizeof(few * 1000) - sys.getsizeof([])) / 4000})
for line in sys.stdin:
    for what, (count, work) in sorted(works.items(), reverse=int(line) % 2 == 1):
        passes = max(1, 4096 // count)
        start, of_all = time.thread_time_ns(), time.process_time_ns()
        for _ in range(passes):
            work()
        spent, of_all = time.thread_time_ns() - start, time.process_time_ns() - of_all
        tell(what=what, ns=spent / passes / count)
        tell(what=what + ", all threads", ns=of_all / passes / count)
    tell(done=int(line))
