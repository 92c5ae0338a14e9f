"""A time limit for a stream of events."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, AsyncGenerator

from google.adk.events import Event


async def within(seconds: float, events: Any) -> AsyncGenerator[Event, None]:
    """The events, as long as they come within the limit; else ``asyncio.TimeoutError``.

    They are produced in one task, which waits until each is dealt with: state must have changed before the next
    step reads it.
    """
    queue: asyncio.Queue[Any] = asyncio.Queue()
    taken = asyncio.Event()

    async def produce() -> None:
        try:
            async for item in events:
                await queue.put(item)
                await taken.wait()
                taken.clear()
            await queue.put(None)
        except Exception as error:  # handed to the consumer, which raises it
            await queue.put(error)

    clock = asyncio.get_running_loop()
    deadline = clock.time() + seconds
    task = asyncio.ensure_future(produce())
    try:
        while True:
            item = await asyncio.wait_for(queue.get(), deadline - clock.time())
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item
            taken.set()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task
