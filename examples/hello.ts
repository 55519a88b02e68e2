// The first script: tool calls in parallel, both output streams, a result.
//
//   ./sallyport run examples/hello.ts
//   ./sallyport run examples/hello.ts --args '{"name": "Ada"}'

interface Input {
  name?: string;
}

const { name = "world" } = (args ?? {}) as Input;
console.log(`Hello, ${name}!`);

// Three parallel calls: together they take as long as the slowest one, as the trace shows.
const [sum, now, slow] = await Promise.all([
  demo.add({ a: 19, b: 23 }),
  demo.clock(),
  demo.slow({ millis: 300, value: "worth the wait" }),
]);

console.log("19 + 23 =", sum);
console.error("This line goes to standard error.");

return { greeting: `Hello, ${name}!`, sum, now, slow };
