"""Make the history of the public repository, which has no weights of the past."""

import os
import subprocess
import tempfile
from pathlib import Path

#: Where the history until now is kept: `git clone` fetches no such ref.
KEPT = "refs/history/main"


def git(root: Path, *words: str, **variables: str) -> str:
    """Run git, and give what it prints."""
    done = subprocess.run(
        ["git", *words],
        cwd=root,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    )
    return done.stdout.strip()


def make_public(root: Path, branch: str, pipeline: str, message: str) -> str:
    """Make a branch of one commit: the tree of HEAD with one pipeline in packages/.

    If the branch exists, its last commit is the parent, so that each release adds one.
    Neither the checkout nor its index is touched. HEAD is kept under another ref.

    Args:
        root: The repository.
        branch: The name of the branch.
        pipeline: The pipeline whose package stays.
        message: Of the commit.

    Returns:
        The commit.

    Raises:
        ValueError: If the checkout has changes that are not committed.
    """
    if git(root, "status", "--porcelain", "--untracked-files=no"):
        raise ValueError("Commit your changes first: HEAD is what becomes public.")
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git(root, "read-tree", "HEAD", **index)
        listed = git(root, "ls-tree", "--name-only", "HEAD", "packages/").split()
        others = [name for name in listed if name != f"packages/{pipeline}"]
        if others:
            git(root, "rm", "-r", "--cached", "--quiet", *others, **index)
        tree = git(root, "write-tree", **index)
    git(root, "update-ref", KEPT, "HEAD")
    exists = git(root, "for-each-ref", f"refs/heads/{branch}")
    parents = ["-p", branch] if exists else []
    commit = git(root, "commit-tree", tree, *parents, "-m", message)
    git(root, "update-ref", f"refs/heads/{branch}", commit)
    return commit


def clone_size(root: Path, branch: str) -> tuple[float, float]:
    """The megabytes of a clone of a branch alone, and of those its files' in `.git`."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        url = root.resolve().as_uri()
        git(root, "clone", "--quiet", "--single-branch", "-b", branch, url, str(clone))
        files = [path for path in clone.rglob("*") if path.is_file()]
        sizes = {path: path.stat().st_size / 1e6 for path in files}
        stored = (
            size for path, size in sizes.items() if clone / ".git" in path.parents
        )
        return sum(sizes.values()), sum(stored)
