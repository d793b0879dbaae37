from bisect import bisect_right


def key_ranges(keys, begins):
    # Of each key the first range that begins behind it.
    behind = [bisect_right(begins, key) for key in keys]
    return [-1 if i == len(begins) else i - 1 for i in behind]
