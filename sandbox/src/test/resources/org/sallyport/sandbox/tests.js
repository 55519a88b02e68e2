before(() => console.log("before"));
before.each(() => console.log("before each"));
after(() => console.log("after"));
test("adds one", async () => {
  const echo = mock("demo.echo", ({ a }) => ({ a: a * 10 }));
  assert.is(await main({ x: 2 }), 21);
  assert.equal(echo.calls, [{ a: 2 }]);
});
test("mocks end with their test", async () => assert.is(await main({ x: 5 }), 6));
test("shows a difference", () => {
  assert.equal({ a: 1 }, { a: 2 });
});
test("fails as it should", async () => {
  await assert.throws(() => main({ x: -1 }), /negative/);
  mock("echo", { a: 0 });
  assert.is(await main({ x: 3 }), 1);
  mock("demo.echo", () => {
    throw new Error("down");
  });
  await assert.throws(() => main({ x: 3 }), ToolError);
  assert.ok(1);
  assert.is(NaN, NaN);
  assert.type("x", "string");
  assert.instance([], Array);
  assert.match("abc", /b/);
  assert.equal(new Map([[1, new Set([{ a: 1 }])]]), new Map([[1, new Set([{ a: 1 }])]]));
  assert.not(0);
  assert.not.ok("");
  assert.not.is(1, "1");
  assert.not.equal([1], [2]);
  assert.not.type(1, "string");
  assert.not.instance({}, Array);
  assert.not.match("abc", "x");
  assert.not.throws(() => {});
  assert.is.not(1, 2);
  for (const wrong of [
    () => assert.ok(0),
    () => assert.is(1, 2),
    () => assert.type(1, "x"),
    () => assert.instance(1, Array),
    () => assert.match("a", "b"),
    () => assert.throws(() => {}),
    () => assert.unreachable(),
    () => assert.not.equal([1], [1]),
    () =>
      assert.not.throws(() => {
        throw 1;
      }),
    () => assert.not.is(1, 1),
    () => assert.not.ok(1),
    () => assert.not.match("a", "a"),
  ]) {
    assert.throws(wrong, (problem) => problem.name === "Assertion" && problem.code === "ERR_ASSERTION");
  }
});
test.skip("is skipped", () => assert.unreachable());
