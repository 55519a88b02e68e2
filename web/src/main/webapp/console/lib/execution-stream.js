// Follows an execution live.
import { loadEvents, get, queryString } from "./api.js";
import { useEffect, useRef, useState } from "./dom.js";
import { TERMINAL } from "./states.js";
import { openEventStream } from "./event-stream.js";
import { OutputCollector } from "./output-pieces.js";

const RENDER_INTERVAL = 100;
const POLL_INTERVAL = 3_000;

const parseEvent = (event) => JSON.parse(event.data);

/** @returns {any} */
const initialState = () => ({
  execution: undefined,
  events: [],
  output: new OutputCollector(),
  failure: undefined,
  live: false,
});

/**
 * Returns the execution with its trace and output: first as stored, then updated by server-sent events.
 *
 * @param {string} id
 */
export function useExecution(id) {
  const [state, setState] = useState(initialState);
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

    /** Adds the output that an execution had when it was requested with the given offsets. */
    const loadOutput = async (execution, { outputOffset, errorOffset }) => {
      const { output } = data.current;
      if (!execution.errorOutputLength)
        output.add({ stream: "output", offset: outputOffset, text: execution.output, sequence: outputOffset });
      if (!execution.outputLength)
        output.add({ stream: "error-output", offset: errorOffset, text: execution.errorOutput, sequence: errorOffset });
      while (!disposed && output.isBehind(execution)) {
        const page = await get(`/executions/${id}/output/pieces` + queryString(output.offsets));
        if (disposed || page.pieces.length === 0) return;
        page.pieces.forEach((piece) => output.add(piece));
        scheduleRender();
      }
    };

    const poll = async () => {
      try {
        const streamsBefore = openedStreams;
        const { offsets } = data.current.output;
        const execution = await get(`/executions/${id}` + queryString(offsets));
        if (disposed) return;
        const ended = TERMINAL.has(execution.state);
        const trace = ended || !data.current.live ? await loadEvents(`/executions/${id}/trace`) : undefined;
        if (disposed) return;
        if (ended || !data.current.live) await loadOutput(execution, offsets);
        if (disposed) return;
        const upToDate = ended || (openedStreams === streamsBefore && !data.current.live);
        update({
          execution,
          failure: undefined,
          ...(upToDate && trace ? { events: trace.events, cut: trace.cut } : {}),
          ...(ended ? { live: false } : {}),
        });
        if (ended) closeStream();
      } catch (failure) {
        if (!disposed) update({ failure });
      }
      if (!disposed && !TERMINAL.has(data.current.execution?.state)) pollTimer = setTimeout(poll, POLL_INTERVAL);
    };

    const addOutput = (stream) => (event) => {
      data.current.output.add({ ...parseEvent(event), stream });
      scheduleRender();
    };
    const address = () => {
      const { events, output } = data.current;
      return (
        `/api/v1/executions/${id}/events` +
        queryString({
          after: events[events.length - 1]?.seq,
          ...output.offsets,
        })
      );
    };
    const listeners = {
      output: addOutput("output"),
      "error-output": addOutput("error-output"),
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

    data.current = initialState();
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
