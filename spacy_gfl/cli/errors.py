"""Errors as the command line says them: one sentence, no traceback."""


def explain(error: Exception) -> str:
    """What an error says, with the file it is about where there is one."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return str(error)
