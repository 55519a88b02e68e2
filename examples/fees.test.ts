test('adds the fee', async () => {
  const add = mock('demo.add', ({ a, b }: { a: number; b: number }) => a + b);
  assert.is(await main({ price: 2 }), 3);
  assert.equal(add.calls, [{ a: 2, b: 1 }]);
});

test('refuses what is free', async () => {
  await assert.throws(() => main({ price: 0 }), /more than nothing/);
});
