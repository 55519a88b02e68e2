// Errors of tools: demo.flaky fails a few times under each name before it works; a ToolError says what went wrong.
//
//   ./sallyport run examples/retry.ts
//   ./sallyport run examples/retry.ts --args '{"failures": 5}'      gives up and fails

interface Input {
  failures?: number;
}

const { failures = 2 } = (args ?? {}) as Input;
// A name of its own for this run, so that running it again fails as often again.
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
