// Follows an execution live.
import { everyEvent, get, query } from "./api.js";
import { useEffect, useRef, useState } from "./dom.js";
import { TERMINAL } from "./states.js";
import { stream } from "./event-stream.js";

const LONGEST_OUTPUT = 1_000_000;
const DRAW_EVERY = 100;
const ASK_EVERY = 3_000;

const parse = (event) => JSON.parse(event.data);

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
      failure: undefined,
      live: false,
    }),
  );
  const data = useRef(state);
  useEffect(() => {
    let gone = false;
    let asking = 0;
    let drawing = 0;
    /** Number of streams opened. A response requested before a stream opened is older than the stream's events. */
    let streams = 0;
    let leave = () => {};
    const draw = () => {
      drawing ||= setTimeout(() => {
        drawing = 0;
        if (!gone) setState({ ...data.current });
      }, DRAW_EVERY);
    };
    const change = (changes) => {
      data.current = { ...data.current, ...changes };
      draw();
    };

    const look = async () => {
      try {
        const before = streams;
        const execution = await get(`/executions/${id}`);
        if (gone) return;
        const ended = TERMINAL.has(execution.state);
        const trace = ended || !data.current.live ? await everyEvent(`/executions/${id}/trace`) : undefined;
        if (gone) return;
        const known = ended || (streams === before && !data.current.live);
        change({
          execution,
          failure: undefined,
          ...(known
            ? {
                output: execution.output,
                errorOutput: execution.errorOutput,
                ...(trace && { events: trace.events, cut: trace.cut }),
              }
            : {}),
          ...(ended ? { live: false } : {}),
        });
        if (ended) leave();
      } catch (failure) {
        if (!gone) change({ failure });
      }
      if (!gone && !TERMINAL.has(data.current.execution?.state)) asking = setTimeout(look, ASK_EVERY);
    };

    const more = (member) => (event) => {
      const { offset, text } = parse(event);
      const there = data.current[member];
      if (offset > there.length || there.length > LONGEST_OUTPUT) return;
      change({ [member]: there.slice(0, offset) + text });
    };
    const address = () => {
      const { events, output, errorOutput } = data.current;
      return (
        `/api/v1/executions/${id}/events` +
        query({ after: events[events.length - 1]?.seq, outputOffset: output.length, errorOffset: errorOutput.length })
      );
    };
    const listeners = {
      output: more("output"),
      "error-output": more("errorOutput"),
      trace: (event) => {
        const added = parse(event);
        if (!data.current.events.some(({ seq }) => seq === added.seq))
          change({ events: [...data.current.events, added].sort((a, b) => a.seq - b.seq) });
      },
      state: (event) => {
        const { state, attempt } = parse(event);
        if (data.current.execution)
          change({
            execution: {
              ...data.current.execution,
              state: TERMINAL.has(state) ? data.current.execution.state : state,
              attempt,
            },
          });
      },
      result: () => {
        leave();
        clearTimeout(asking);
        look();
      },
    };
    const follow = () => {
      leave = stream(address, listeners, (live) => {
        if (live) streams += 1;
        change({ live });
      });
    };

    data.current = { execution: undefined, events: [], output: "", errorOutput: "", failure: undefined, live: false };
    look().then(() => {
      if (!gone && data.current.execution && !TERMINAL.has(data.current.execution.state)) follow();
    });
    return () => {
      gone = true;
      leave();
      clearTimeout(asking);
      clearTimeout(drawing);
    };
  }, [id]);
  return state;
}
