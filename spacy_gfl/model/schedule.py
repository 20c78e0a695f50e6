"""The learning rate of the recipes, which follows the length of a training."""

from collections.abc import Iterator

from thinc.api import warmup_linear


def warmup_linear_to_the_end(
    initial_rate: float, warmup_steps: int, total_steps: int | str
) -> float | Iterator[float]:
    """A learning rate that rises from 0, and then falls to 0 at the end of training.

    As thinc's `warmup_linear.v1`, but `total_steps` may be `${training.max_steps}`, so
    that an override of `max_steps` needs no second one, and a short training has a
    short warm-up.

    Args:
        initial_rate: The highest rate.
        warmup_steps: Updates until the rate is highest; at most a fifth of
            `total_steps`.
        total_steps: Updates until the rate is 0. `nlp.initialize` makes an optimizer
            before variables are filled in, and so does `spacy debug data`. If this is
            the name of a variable, the rate stays constant.

    Returns:
        The rate of each update, in turn, or the one rate of all updates, a number, with
        which an optimizer can be pickled.
    """
    if isinstance(total_steps, str):
        return initial_rate
    warmup_steps = min(warmup_steps, total_steps // 5)
    return iter(warmup_linear(initial_rate, warmup_steps, total_steps))
