// Reads rows [pattern, texts, …] as JSON and writes them with the results of this runtime: "T" or "F" for each text,
// or "invalid". A pattern is read with the flag u; if that is a syntax error, without it.
import { readFileSync } from "node:fs";

const compile = (pattern) => {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
};

const results = (pattern, texts) => {
  try {
    const compiled = compile(pattern);
    return texts.map((text) => (compiled.test(text) ? "T" : "F")).join("");
  } catch {
    return "invalid";
  }
};

const rows = JSON.parse(readFileSync(0, "utf8"));
const lines = rows.map(([pattern, texts]) => JSON.stringify([pattern, texts, results(pattern, texts)]));
console.log(`[\n${lines.join(",\n")}\n]`);
