# One step of AdamW on n weights. Weight decay is decoupled: it acts on the
# weight, as lr lambda w, and never enters g, m or v.
#   w, m, v       lists of n: weights, mean of the gradient, mean of its square;
#                 change them, return nothing
#   g             list of n: gradient
#   lr            learning rate; beta1, beta2: what m and v keep of themselves
#   eps           added to the root; weight_decay: lambda
#   t             this step, the first is 1
# m and v begin at 0 and are too small at first: the update divides them by
# 1 - beta^t (bias correction).
# Loshchilov, Hutter 2017, arXiv:1711.05101; lr before lambda as in PyTorch.


def adamw_step(w, m, v, g, lr, beta1, beta2, eps, weight_decay, t):
    pass
