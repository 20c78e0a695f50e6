"""The learning rate of the recipes, which follows the length of a training."""

from collections.abc import Iterator

from thinc.api import warmup_linear


def warmup_linear_to_the_end(
    initial_rate: float, warmup_steps: int, total_steps: int | str
) -> float | Iterator[float]:
    """A learning rate that rises from 0, and falls to 0 at the end of training.

    As thinc's `warmup_linear.v1`, but `total_steps` may be `${training.max_steps}`, so
    that an override of `max_steps` needs no second one, and a short training has a
    short warm-up. `nlp.initialize` and `spacy debug data` make an optimizer before
    variables are filled in: while this is the name of a variable, the rate is constant.

    Args:
        initial_rate: The highest rate.
        warmup_steps: Updates until the rate is highest; at most a fifth of
            `total_steps`.
        total_steps: Updates until the rate is 0, such as `${training.max_steps}`.

    Returns:
        The rate of each update, in turn, or the one rate of all updates, a number, with
        which an optimizer can be pickled.
    """
    if isinstance(total_steps, str):
        return initial_rate
    warmup_steps = min(warmup_steps, total_steps // 5)
    return iter(warmup_linear(initial_rate, warmup_steps, total_steps))
