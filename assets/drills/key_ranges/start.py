# Which server has a key? A parameter server cuts its keys into R ranges, which
# may differ in size; range i is [begins[i], begins[i + 1]).
#   keys    keys to look up, in any order
#   begins  R + 1 numbers, ascending; the last one is where the keys end
# Returns for each key its range, or -1 where it is in none. A lookup takes
# O(log R) steps: a worker does it for every key of every push.
# Li et al., OSDI 2014, section 4.1.


def key_ranges(keys, begins):
    return []
