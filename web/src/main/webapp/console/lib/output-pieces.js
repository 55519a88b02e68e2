// The pieces of an execution's output, in the order in which the script wrote both streams.
import { get, queryString } from "./api.js";

/**
 * @typedef {object} OutputPiece
 * @property {"output" | "error-output"} stream
 * @property {number} offset position in its stream
 * @property {string} text
 * @property {number} sequence position in the order of both streams
 * @property {string} [at] when the script wrote it
 */

/** @param {string} output @param {"output" | "error-output"} stream @returns {OutputPiece[]} */
const singlePiece = (output, stream) => (output ? [{ stream, offset: 0, text: output, sequence: 0 }] : []);

/**
 * Returns the output of an execution as pieces. Asks the service for their order if both streams have output.
 *
 * @param {{ id: string, output: string, errorOutput: string }} execution with its output from the start
 * @returns {Promise<OutputPiece[]>}
 */
export async function loadOutputPieces({ id, output, errorOutput }) {
  if (!output || !errorOutput) return [...singlePiece(output, "output"), ...singlePiece(errorOutput, "error-output")];
  const length = output.length + errorOutput.length;
  /** @type {OutputPiece[]} */
  const pieces = [];
  let outputOffset = 0;
  let errorOffset = 0;
  while (outputOffset + errorOffset < length) {
    const page = await get(`/executions/${id}/output/pieces` + queryString({ outputOffset, errorOffset }));
    if (page.pieces.length === 0) break;
    for (const piece of page.pieces) {
      pieces.push(piece);
      if (piece.stream === "output") outputOffset = piece.offset + piece.text.length;
      else errorOffset = piece.offset + piece.text.length;
    }
  }
  // Output that was written after the execution was read comes with the next answer.
  return pieces.filter(({ sequence }) => sequence < length);
}

/**
 * Adds a piece behind the pieces before it, and drops those that it repeats.
 *
 * @param {OutputPiece[]} pieces @param {OutputPiece} piece
 */
export function addPiece(pieces, piece) {
  const last = pieces[pieces.length - 1];
  const kept =
    last && last.sequence + last.text.length > piece.sequence
      ? pieces
          .filter(({ sequence }) => sequence < piece.sequence)
          .map((before) => ({ ...before, text: before.text.slice(0, piece.sequence - before.sequence) }))
      : pieces;
  kept.push(piece);
  return kept;
}
