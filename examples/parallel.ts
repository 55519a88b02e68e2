// Parallel calls: six slow calls, at most three at a time.
//
//   ./sallyport run examples/parallel.ts
//   ./sallyport run examples/parallel.ts --args '{"calls": 12, "atOnce": 4}'

interface Input {
  calls?: number;
  atOnce?: number;
}

const { calls = 6, atOnce = 3 } = (args ?? {}) as Input;

let next = 0;
const answers: unknown[] = [];

async function lane(name: number): Promise<void> {
  while (next < calls) {
    const mine = next++;
    answers[mine] = await demo.slow({ millis: 100 + 50 * (mine % 3), value: mine });
    console.log(`lane ${name}: call ${mine} is back`);
  }
}

await Promise.all(Array.from({ length: atOnce }, (_, name) => lane(name)));
return answers;
