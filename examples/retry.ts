// Tool errors: demo.flaky fails a given number of times per name and then succeeds. A ToolError has code and message.
//
//   ./sallyport run examples/retry.ts
//   ./sallyport run examples/retry.ts --args '{"failures": 5}'      gives up and fails

interface Input {
  failures?: number;
}

const { failures = 2 } = (args ?? {}) as Input;
// A new name for each run, so that every run fails the same number of times.
const name = `retry-${Math.random()}`;
const attempts = 4;

for (let attempt = 1; ; attempt++) {
  try {
    const value = await demo.flaky({ name, failures });
    return { attempt, value };
  } catch (error) {
    console.error(`attempt ${attempt}: ${error.code}: ${error.message}`);
    if (attempt === attempts) {
      throw error;
    }
    await sleep(50 * attempt);
  }
}
