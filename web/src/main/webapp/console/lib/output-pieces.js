// The output of an execution, in the order in which the script wrote both streams.

/** Number of characters that are kept of each stream. */
export const MAX_STREAM_CHARS = 1_000_000;
const MAX_PART_CHARS = 16_384;

/**
 * A piece of one stream as the service sends it, or adjacent pieces joined.
 *
 * @typedef {object} OutputPiece
 * @property {"output" | "error-output"} stream
 * @property {number} offset position in its stream
 * @property {string} text
 * @property {number} sequence position in the order of both streams
 * @property {string} [at] when the script wrote the beginning
 */

/** Collects the pieces of both streams. A piece may repeat received text, so that several requests may overlap. */
export class OutputCollector {
  /** Number of received characters of each stream. */
  #received = { output: 0, "error-output": 0 };

  /** Adjacent pieces of one stream joined, in order. A new array, unless only its end changes. @type {OutputPiece[]} */
  parts = [];

  /** Number of characters of all parts. */
  length = 0;

  /** The position after the received text, as query parameters. */
  get offsets() {
    return { outputOffset: this.#received.output, errorOffset: this.#received["error-output"] };
  }

  /** Whether a stream is longer than its parts. */
  get truncated() {
    return Math.max(this.#received.output, this.#received["error-output"]) > MAX_STREAM_CHARS;
  }

  /** Whether an execution has output that was not received. @param {Record<string, any>} execution */
  isBehind({ outputLength, errorOutputLength }) {
    return outputLength > this.#received.output || errorOutputLength > this.#received["error-output"];
  }

  /**
   * Adds the characters of a piece that are new. Ignores a piece with missing text before it, and the text of a stream
   * after its first {@link MAX_STREAM_CHARS} characters.
   *
   * @param {OutputPiece} piece
   */
  add({ stream, offset, text, sequence, at }) {
    const received = this.#received[stream];
    const repeated = received - offset;
    if (repeated < 0 || repeated >= text.length) return;
    this.#received[stream] = offset + text.length;
    const kept = text.slice(repeated, Math.max(repeated, MAX_STREAM_CHARS - offset));
    if (kept) this.#insert({ stream, offset: received, text: kept, sequence: sequence + repeated, at });
  }

  /** @param {OutputPiece} piece */
  #insert(piece) {
    this.length += piece.text.length;
    const index = this.parts.findLastIndex(({ sequence }) => sequence < piece.sequence) + 1;
    const before = this.parts[index - 1];
    if (index < this.parts.length) {
      this.parts = [...this.parts.slice(0, index), piece, ...this.parts.slice(index)];
    } else if (
      before?.stream === piece.stream &&
      before.sequence + before.text.length === piece.sequence &&
      before.text.length < MAX_PART_CHARS
    ) {
      this.parts[index - 1] = { ...before, text: before.text + piece.text };
    } else {
      this.parts.push(piece);
    }
  }
}
