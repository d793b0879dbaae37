"""The numbers of lesson decoder_only, computed again by numpy from the queries and keys that a run saved.

Where the run drew weights, numpy draws its own. Exit code 77 (skipped): this Python has no numpy.

    decoder_only_numpy_test.py RINGSIDE
"""
import math
import sys

from saved_rows import near, numpy, rows_of_run, softmax

RANDOM, UNTRAINED, TRAINED = "random scores", "untrained model", "trained model"
WINDOW, BYTES, MASKED = 32, 40, 15


def attention(query, key, causal):
    """(T, d), (T, d) -> (T, T)"""
    scores = query @ key.T / math.sqrt(query.shape[1])
    if causal:
        scores = numpy.where(numpy.tri(len(scores)) > 0, scores, -numpy.inf)
    return softmax(scores, 1)


def to_bf16(matrix):
    """To the nearest one, ties to even."""
    bits = matrix.astype(numpy.float32).view(numpy.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(numpy.uint32).view(numpy.float32)


def rank_in(matrix, rounded):
    s = numpy.linalg.svd(matrix, compute_uv=False)
    return (s > numpy.linalg.norm(rounded.astype(float) - matrix, 2)).sum()


def check_matrices(rows):
    heads = {}
    for of, mask, query, key in rows["heads"]:
        heads.setdefault((of, mask), []).append([numpy.fromstring(part, sep=" ") for part in (query, key)])
    determinants, effective = {}, {}
    for of, mask, T, fp64, fp32, bf16, log10_det, _, recorded in rows["matrices"]:
        query, key = numpy.array(heads[of, mask][:T]).transpose(1, 0, 2)
        matrix, what = attention(query, key, mask == "causal"), f"{of}, {mask}, T = {T}: "
        s = numpy.linalg.svd(matrix, compute_uv=False)
        near(what + "rank in fp64", numpy.linalg.matrix_rank(matrix), fp64, 1)
        near(what + "rank in fp32", rank_in(matrix, matrix.astype(numpy.float32)), fp32, 1)
        near(what + "rank in bf16", rank_in(matrix, to_bf16(matrix)), bf16, 1)
        # Of a triangle by its diagonal: elimination swaps rows, and loses so small a determinant in rounding.
        diagonal = numpy.log(matrix.diagonal()).sum()
        determinant = diagonal if mask == "causal" else numpy.linalg.slogdet(matrix)[1]
        near(what + "log10 of the determinant", determinant / math.log(10), log10_det, 1)
        share = s / s.sum()
        near(what + "effective rank", math.exp(-(share * numpy.log(share + 1e-300)).sum()), recorded, 1e-3)
        effective[of, mask], determinants[of, mask] = recorded, log10_det
        if of == RANDOM and mask == "bidirectional":
            assert numpy.linalg.matrix_rank(query @ key.T) == query.shape[1] < fp64 == T, "d, and n after the softmax"
        if of == RANDOM and mask == "causal" and T == 256:
            assert fp64 < T and log10_det < math.log10(sys.float_info.min), "full rank on paper, not in fp64"
    near("the determinant is about 1/n!", -math.lgamma(256 + 1) / math.log(10), determinants[UNTRAINED, "causal"], 10)
    assert effective[TRAINED, "bidirectional"] < effective[TRAINED, "causal"] / 2


def check_depth(rows):
    """Attention alone makes rows equal, and skip connections prevent that: with weights of numpy's own."""
    recorded = {line: y for line, _, y in rows["points"] if line.startswith(("causal", "bidirectional"))}  # the last
    draw, width, tokens = numpy.random.default_rng(1), 64, 64
    for line, last in recorded.items():
        x = draw.normal(size=(tokens, width))
        for _ in range(12):
            q, k, v, up, down = draw.normal(size=(5, width, width)) / math.sqrt(width)
            y = attention(x @ q, x @ k, line.startswith("causal")) @ x @ v
            x = x + y if "skip" in line else y
            if "MLP" in line:
                hidden = x @ up
                x = x + hidden / (1 + numpy.exp(-hidden)) @ down
            x /= math.sqrt((x**2).mean())
        mine = numpy.linalg.norm(x - x.mean(0)) / numpy.linalg.norm(x)
        print(f"{line}, distance after 12 layers: numpy {mine:.2g}, the run {last:.2g}")
        for distance in mine, last:
            assert (distance < 1e-9) == (line == "bidirectional") and (distance > 0.05) == ("skip" in line), line


def check_reasons(rows):
    for mask, _, with_loss, *_ in rows["tasks"]:
        share = (WINDOW - 1) / WINDOW if mask == "causal" else MASKED / 100
        near(mask + ", share of positions with a loss", share, with_loss / 100, 1e-9 if mask == "causal" else 0.06)
    for way, prompt, written, read, same in rows["written"]:
        assert same and written == BYTES
        near("tokens read", prompt + BYTES - 1 if way == "with a cache" else sum(prompt + i for i in range(BYTES)), read, 0)


if __name__ == "__main__":
    saved = {}
    for (_, table), values in rows_of_run(sys.argv[1], ["decoder_only", f"bytes={BYTES}"]).items():
        saved.setdefault(table, []).extend(values)
    check_matrices(saved)
    check_depth(saved)
    check_reasons(saved)
