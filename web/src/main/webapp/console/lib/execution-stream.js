// Follows an execution live.
import { loadEvents, get, queryString } from "./api.js";
import { useEffect, useRef, useState } from "./dom.js";
import { TERMINAL } from "./states.js";
import { openEventStream } from "./event-stream.js";
import { addPiece, loadOutputPieces } from "./output-pieces.js";

const MAX_OUTPUT_CHARS = 1_000_000;
const RENDER_INTERVAL = 100;
const POLL_INTERVAL = 3_000;

const parseEvent = (event) => JSON.parse(event.data);

/**
 * Returns the execution with its trace and output: first as stored, then updated by server-sent events.
 *
 * @param {string} id
 */
export function useExecution(id) {
  const [state, setState] = useState(
    /** @type {any} */ ({
      execution: undefined,
      events: [],
      output: "",
      errorOutput: "",
      pieces: [],
      failure: undefined,
      live: false,
    }),
  );
  const data = useRef(state);
  useEffect(() => {
    let disposed = false;
    let pollTimer = 0;
    let renderTimer = 0;
    /** Number of streams opened. A response requested before a stream opened is older than the stream's events. */
    let openedStreams = 0;
    let closeStream = () => {};
    const scheduleRender = () => {
      renderTimer ||= setTimeout(() => {
        renderTimer = 0;
        if (!disposed) setState({ ...data.current });
      }, RENDER_INTERVAL);
    };
    const update = (changes) => {
      data.current = { ...data.current, ...changes };
      scheduleRender();
    };

    const poll = async () => {
      try {
        const streamsBefore = openedStreams;
        const execution = await get(`/executions/${id}`);
        if (disposed) return;
        const ended = TERMINAL.has(execution.state);
        const trace = ended || !data.current.live ? await loadEvents(`/executions/${id}/trace`) : undefined;
        if (disposed) return;
        const isCurrent = () => ended || (openedStreams === streamsBefore && !data.current.live);
        const pieces = isCurrent() ? await loadOutputPieces(execution) : [];
        if (disposed) return;
        update({
          execution,
          failure: undefined,
          ...(isCurrent()
            ? {
                output: execution.output,
                errorOutput: execution.errorOutput,
                pieces,
                ...(trace && { events: trace.events, cut: trace.cut }),
              }
            : {}),
          ...(ended ? { live: false } : {}),
        });
        if (ended) closeStream();
      } catch (failure) {
        if (!disposed) update({ failure });
      }
      if (!disposed && !TERMINAL.has(data.current.execution?.state)) pollTimer = setTimeout(poll, POLL_INTERVAL);
    };

    const appendOutput = (member, stream) => (event) => {
      const { offset, text, sequence, at } = parseEvent(event);
      const received = data.current[member];
      if (offset > received.length || received.length > MAX_OUTPUT_CHARS) return;
      update({
        [member]: received.slice(0, offset) + text,
        pieces: addPiece(data.current.pieces, { stream, offset, text, sequence, at }),
      });
    };
    const address = () => {
      const { events, output, errorOutput } = data.current;
      return (
        `/api/v1/executions/${id}/events` +
        queryString({
          after: events[events.length - 1]?.seq,
          outputOffset: output.length,
          errorOffset: errorOutput.length,
        })
      );
    };
    const listeners = {
      output: appendOutput("output", "output"),
      "error-output": appendOutput("errorOutput", "error-output"),
      trace: (event) => {
        const traceEvent = parseEvent(event);
        if (!data.current.events.some(({ seq }) => seq === traceEvent.seq))
          update({ events: [...data.current.events, traceEvent].sort((a, b) => a.seq - b.seq) });
      },
      state: (event) => {
        const { state, attempt } = parseEvent(event);
        if (data.current.execution)
          update({
            execution: {
              ...data.current.execution,
              state: TERMINAL.has(state) ? data.current.execution.state : state,
              attempt,
            },
          });
      },
      result: () => {
        closeStream();
        clearTimeout(pollTimer);
        poll();
      },
    };
    const startStream = () => {
      closeStream = openEventStream(address, listeners, (live) => {
        if (live) openedStreams += 1;
        update({ live });
      });
    };

    data.current = {
      execution: undefined,
      events: [],
      output: "",
      errorOutput: "",
      pieces: [],
      failure: undefined,
      live: false,
    };
    poll().then(() => {
      if (!disposed && data.current.execution && !TERMINAL.has(data.current.execution.state)) startStream();
    });
    return () => {
      disposed = true;
      closeStream();
      clearTimeout(pollTimer);
      clearTimeout(renderTimer);
    };
  }, [id]);
  return state;
}
