"""Tiny models of transformers' classes with random weights, and their logits in fp32. As a program it makes the folders
of tiny/ that the C++ test reads, which always runs:  tiny_models.py tiny/ (a Python with transformers, torch)."""
import json
import pathlib
import sys

import torch
from transformers import (LlamaConfig, LlamaForCausalLM, LlamaForSequenceClassification, Qwen2Config, Qwen2ForCausalLM,
                          Qwen2ForSequenceClassification)

CLASSES = {"qwen2": (Qwen2Config, Qwen2ForSequenceClassification, Qwen2ForCausalLM),
           "llama": (LlamaConfig, LlamaForSequenceClassification, LlamaForCausalLM)}
PAD = 0


def tiny_model(family, language, seed, small=False):
    """Sizes, positions' base, tied head, linear scaling: drawn by the seed. Weights large enough that every part matters, and not
    so large that fp32 itself is further than 1e-5 from fp64."""
    torch.manual_seed(seed)

    def pick(*among):
        return among[int(torch.randint(len(among), ()))]

    make_config, classifier, language_model = CLASSES[family]
    kv = 1 if small else pick(1, 2)
    heads = kv * (2 if small else pick(1, 2, 3))
    config = make_config(
        vocab_size=11 if small else pick(17, 40, 63), hidden_size=heads * (4 if small else pick(4, 8, 10)),
        num_attention_heads=heads, num_key_value_heads=kv, intermediate_size=6 if small else pick(7, 24, 33),
        num_hidden_layers=pick(1, 2, 3) if not small else 2, rms_norm_eps=pick(1e-6, 1e-5, 1e-3),
        tie_word_embeddings=language and pick(False, True), pad_token_id=PAD, max_position_embeddings=64,
        rope_parameters=pick({"rope_type": "default", "rope_theta": 10000.0},
                             {"rope_type": "default", "rope_theta": 500.0},
                             {"rope_type": "linear", "factor": 4.0, "rope_theta": 1e6}),
        num_labels=pick(2, 3, 5))
    model = (language_model if language else classifier)(config).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.normal_(1 if "norm" in name else 0, 0.25)
    return model


def tiny_rows(model, count=5, longest=14):
    return [torch.randint(1, model.config.vocab_size, (int(torch.randint(1, longest + 1, ())),)).tolist()
            for _ in range(count)]


def logits_of(model, rows, side="right"):
    """Of each row, flat: of its real positions, or of the class."""
    longest = max(map(len, rows))
    pads = [[PAD] * (longest - len(row)) for row in rows]
    tokens = [row + pad if side == "right" else pad + row for row, pad in zip(rows, pads)]
    mask = [[1] * len(row) + [0] * len(pad) if side == "right" else [0] * len(pad) + [1] * len(row)
            for row, pad in zip(rows, pads)]
    with torch.no_grad():
        logits = model(input_ids=torch.tensor(tokens), attention_mask=torch.tensor(mask)).logits
    if logits.dim() == 3:
        logits = [of[torch.tensor(m, dtype=torch.bool)] for of, m in zip(logits, mask)]
    return [of.flatten().tolist() for of in logits]


if __name__ == "__main__":
    for family in CLASSES:
        for language in False, True:
            folder = pathlib.Path(sys.argv[1]) / f"{family}_{'language' if language else 'classifier'}"
            model = tiny_model(family, language, 38, small=True)
            model.save_pretrained(folder)
            (folder / "generation_config.json").unlink(missing_ok=True)
            rows = tiny_rows(model, 3, 6)
            (folder / "logits.json").write_text(json.dumps({"rows": rows, "logits": logits_of(model, rows)}) + "\n")
