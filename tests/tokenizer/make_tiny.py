"""Trains the tokenizers in tiny/ on the sentences below, which were written for it: byte-level BPE in the forms of GPT-2,
Llama 3 and Qwen2, of 420 tokens each. Needs the `tokenizers` library.

    make_tiny.py FOLDER
"""
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = """A tokenizer cuts a text into pieces and each piece into tokens. The pieces are words, numbers and signs.
It's what we've trained; they'll see that it doesn't matter, I'm sure, and you'd say you're right.
In 2026 there were 1234567 lines, 42 files and 3.14159 of something; 100 % of them were read.
    if (count == 0) { return false; }  // four blanks, then code\n\n\n\tand a tab
Die Straße ist lang und die Bäume sind schön. Ça va très bien, merci; où est la gare ?
模型先读每一个字，然后预测下一个字。训练需要数据、时间和耐心。我们今天学习分布式训练。
Обучение модели требует данных. Η μάθηση θέλει χρόνο. 学習には時間がかかります。
🙂🙂 fine 🚀🚀🚀 up 👩‍💻 works\r\nend of line""".split("\n")

WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def split_by(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def trained(pieces, special, normalizer=None, whole_pieces=False):
    tokenizer = Tokenizer(models.BPE(ignore_merges=whole_pieces))
    tokenizer.pre_tokenizer = pieces
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(TEXTS * 2, trainers.BpeTrainer(
        vocab_size=420, initial_alphabet=alphabet, special_tokens=special, show_progress=False))
    return tokenizer


def main(folder):
    gpt2 = trained(pre_tokenizers.ByteLevel(add_prefix_space=True), ["<|endoftext|>"])
    gpt2.post_processor = processors.ByteLevel(trim_offsets=False)
    llama3 = trained(split_by(WORDS + "{1,3}" + REST), ["<|begin_of_text|>", "<|end_of_text|>"], whole_pieces=True)
    llama3.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
        single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
        special_tokens=[("<|begin_of_text|>", 0)])])
    qwen2 = trained(split_by(WORDS + REST), ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], normalizers.NFC())
    qwen2.add_tokens([AddedToken("<tool>", normalized=True), AddedToken("<tool>s", normalized=True)])
    for name, tokenizer in {"gpt2": gpt2, "llama3": llama3, "qwen2": qwen2}.items():
        (folder / f"{name}.json").write_text(tokenizer.to_str(pretty=False))


main(pathlib.Path(sys.argv[1]))
