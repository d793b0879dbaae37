# The backward pass of layer norm. Forward, of each of M rows of H features:
#   mean = sum(x) / H                     var = sum((x - mean)^2) / H
#   s = 1 / sqrt(var + eps)               u = (x - mean) s, y = w u + b
# x and dy are M lists of H, w is a list of H; dy is the gradient of y. Returns
# the gradients dx (M, H), dw (H), db (H). mean and s depend on x too, which
# gives dx two terms beside s g, where g = w dy. One has the mean of g, the
# other u times the mean of g u, over the features of the row.
# Ba, Kiros, Hinton 2016, arXiv:1607.06450.


def layer_norm_backward(x, w, dy, eps):
    dx, dw, db = [], [], []
    return dx, dw, db
