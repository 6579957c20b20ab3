"""The same work on a Dask cluster: ranking by gallery shards, resampling, and any function of many items.

>>> import rankcast
>>> from rankcast import cluster
>>> with cluster.connect("tcp://10.0.0.1:8786") as pool:                      # doctest: +SKIP
...     ev = pool.from_embeddings("gallery.npy", "names.npy", "probes.npy", "truth.npy", similarity="cosine")
...     test = rankcast.backtest(ev)                                           # its forecasts are tasks too
...     forecasts = pool.map(study, range(100))

Tasks carry what they need to be run again, so a worker that dies costs its tasks, not the job. Answers are those of
one process with the same seed.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any, TypeVar

import numpy as np

from ._typing import Array, FloatArray, IntArray
from .embeddings import Embeddings
from .errors import InputError, RankcastError
from .evidence import Evidence
from .extras import need
from .gallery import Gallery
from .parallel import working_on
from .progress import track
from .shard_tasks import DaskStore, FileStore, add_counts, count_shard, is_dask, portable, same, sections
from .vectors import Vectors

T = TypeVar("T")
R = TypeVar("R")
_RETRIES = 3
_POLL = 1.0
_LOCAL = {"distributed.comm.timeouts.connect": "5s"}  # a process of this machine that does not answer is dead


class ClusterError(RankcastError, RuntimeError):
    """The cluster cannot be reached, or cannot finish the work."""


@contextmanager
def connect(where: Any = None, *, workers: int = 2, timeout: float = 30.0) -> "Iterator[Cluster]":
    """A cluster to work on, for the length of a ``with`` block.

    Inside, the forecasts of :func:`rankcast.backtest`, replicates of a bootstrap that do not fit in memory at once, and
    the cells of the paper's studies go to the cluster by themselves; the answers are those of one process.

    Parameters
    ----------
    where : str, dask.distributed.Client or None
        Address of a scheduler, a client of one, or None (or ``"local"``) to start worker processes on this machine.
    workers : int
        Processes to start, one thread each, if the cluster is local.
    timeout : float
        Seconds after which a scheduler that does not answer, or a cluster without workers, is given up.
    """
    distributed = need("distributed", "dask")
    if isinstance(where, distributed.Client):
        with _in_use(Cluster(where, timeout)) as pool:
            yield pool
        return
    if where is not None and not isinstance(where, str):
        raise InputError(f"a cluster is an address, a dask.distributed.Client or None, not {type(where).__name__}")
    if where is None or where == "local":
        if workers < 1:
            raise InputError(f"a local cluster needs at least 1 worker, found {workers}")
        with (
            need("dask", "dask").config.set(_LOCAL),
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
            ) as local,
            distributed.Client(local, set_as_default=False) as client,
            TemporaryDirectory(prefix="rankcast-") as folder,
            _in_use(Cluster(client, timeout, folder)) as pool,
        ):
            yield pool
        return
    try:
        client = distributed.Client(where, timeout=timeout, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(f"no Dask scheduler answers at {where} within {timeout:.0f} s: is it running?") from error
    try:
        with _in_use(Cluster(client, timeout)) as pool:
            yield pool
    finally:
        client.close(timeout=5)


@contextmanager
def _in_use(pool: "Cluster") -> "Iterator[Cluster]":
    with working_on(pool):
        yield pool


class Cluster:
    """A connection to a Dask cluster; see :func:`connect`."""

    def __init__(self, client: Any, timeout: float = 30.0, folder: str | None = None) -> None:
        self.client, self.timeout, self._folder = client, timeout, folder

    def from_embeddings(
        self,
        gallery: Any,
        gallery_labels: Any,
        probes: Any,
        probe_labels: Any,
        *,
        shards: int | None = None,
        **options: Any,
    ) -> Evidence:
        """:meth:`rankcast.Evidence.from_embeddings`, with gallery shards as tasks.

        Parameters
        ----------
        gallery, probes
            Best are paths that the workers can read. A gallery that is a Dask array stays on the cluster. Other arrays
            are sent through the scheduler; on a local cluster they are shared through a temporary file.
        shards : int, optional
            Number of tasks; four for each thread of the cluster if left out.
        **options
            As for :meth:`rankcast.Evidence.from_embeddings`; ``memory`` is the budget of each task.
        """
        from .matching import match

        if options.pop("checkpoint", None) is not None:
            raise InputError("checkpoint= is for one process: a cluster repeats the tasks that it loses")
        made = match(
            portable(gallery, self._fetch),
            gallery_labels,
            self._fetch(probes) if is_dask(probes) else portable(probes, self._fetch),
            probe_labels,
            counter=lambda source, own: self._count(source, own, shards),
            **options,
        )
        return replace(made, scores=None) if is_dask(gallery) else made

    def _count(self, source: Embeddings, own: FloatArray, number: int | None) -> tuple[IntArray, IntArray]:
        """Count each shard, and add the counts up in a tree."""
        number = number or 4 * self._threads()
        gallery = replace(source.gallery, vectors=self._shared(source.gallery.vectors))
        job = self._submit(same, (self._shared(source.probes), own, source.distance, source.plan))
        level = [self._submit(count_shard, *self._sent(part), job) for part in sections(gallery, number)]
        shards = list(level)
        while len(level) > 1:
            pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
            level = [self._submit(add_counts, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
        for shard in track(shards, len(shards), "ranking"):
            self._result(shard, "exception")  # waits, and fetches nothing
        beaten, tied = self._result(level[0])
        return beaten, tied

    def _shared(self, vectors: Vectors) -> Vectors:
        """Arrays for a local cluster go through a file that all its processes map into memory."""
        if self._folder is None or not isinstance(vectors.store, np.ndarray):
            return vectors
        file = NamedTemporaryFile(dir=self._folder, suffix=".npy", delete=False)  # noqa: SIM115
        with file:
            np.save(file, vectors.store, allow_pickle=False)
        return replace(vectors, store=FileStore(file.name))

    def _sent(self, part: Gallery) -> tuple[Gallery, Any]:
        """A shard, and its vectors by themselves if they are on the cluster already."""
        store = part.vectors.store
        if not isinstance(store, DaskStore):
            return part, None
        return replace(part, vectors=replace(part.vectors, store=np.empty((0, 0)))), self.client.compute(store.array)

    def _fetch(self, array: Any) -> Array:
        """The values of a Dask array."""
        return np.asarray(self._result(self.client.compute(array)))

    def map(self, function: Callable[..., R], items: Iterable[T], *shared: Any, what: str = "tasks") -> list[R]:
        """The function of each item, in order: studies, whatever takes a seed or a piece of evidence.

        Parameters
        ----------
        function : callable
            Called as ``function(item, *shared)`` on the workers.
        items : iterable
            A task for each.
        *shared
            Further arguments, which are sent once.
        what : str
            Their name in the progress bar.
        """
        items = list(items)
        return list(track(self.stream(function, items, *shared), len(items), what))

    def stream(self, function: Callable[..., R], items: Iterable[T], *shared: Any) -> Iterator[R]:
        """As :meth:`map`, but each result is passed on when it and those before it are there."""
        rest = [self._submit(same, each) for each in shared]
        for task in [self._submit(function, item, *rest) for item in items]:
            yield self._result(task)

    def _submit(self, function: Callable[..., Any], *args: Any) -> Any:
        dask = need("dask", "dask")
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self.client.submit(function, *args, pure=False, retries=_RETRIES)

    def _threads(self) -> int:
        """Threads of all workers, once there are any."""
        try:
            self.client.wait_for_workers(1, timeout=self.timeout)
        except TimeoutError:
            raise ClusterError(
                f"the cluster at {self._address} has no workers after {self.timeout:.0f} s: start some with dask worker"
            ) from None
        return sum(self.client.nthreads().values())

    @property
    def _address(self) -> str:
        return str(getattr(self.client.scheduler, "addr", None) or "an unknown address")

    def _result(self, task: Any, what: str = "result") -> Any:
        """The result of a task, or its ``exception``; a cluster that is lost meanwhile is an error, not a hang."""
        distributed = need("distributed", "dask")
        heard = time.monotonic()
        while True:
            try:
                return getattr(task, what)(timeout=_POLL)
            except distributed.KilledWorker as error:
                raise ClusterError(
                    "workers died each time they ran a part of this job: out of memory? Lower memory= or raise shards="
                ) from error
            except (OSError, TimeoutError, UnboundLocalError, distributed.CancelledError) as error:
                if task.status == "error":  # raised by the task itself
                    raise
                if not isinstance(error, TimeoutError | UnboundLocalError):  # a time-out that Dask mishandles
                    raise ClusterError(f"lost the scheduler at {self._address} before the work was done") from error
            if self._alive():
                heard = time.monotonic()
            elif time.monotonic() - heard > self.timeout:
                raise ClusterError(
                    f"the cluster at {self._address} has had no scheduler or no workers for {self.timeout:.0f} s"
                )

    def _alive(self) -> bool:
        """Whether the scheduler answers, and has workers."""
        try:
            return bool(self.client.sync(self.client.scheduler.identity, callback_timeout=5)["workers"])
        except Exception:  # refused, timed out, closed: all the same here
            return False
