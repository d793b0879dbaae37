def numbers(id):
    if id == 0:
        return iter(range(10))
    elif id == 1:
        yield from range(2)
    else:
        yield from range(3, 5)

for id in range(3):
    for n in numbers(id):
        print(n)
