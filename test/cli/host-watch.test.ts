import test from 'ava';
import { HostWatch } from '../../cli/terminal/host-watch.ts';
import { HostSilent } from '../../client/host-error.ts';

const origin = 'http://127.0.0.1:9';

/** A watch whose time passes by `pass`, over a host that answers when the test says so. */
function watched() {
  const lines: string[] = [];
  const open: {
    readonly url: string;
    readonly signal: AbortSignal | null;
    readonly answer: (answer: Response) => void;
  }[] = [];
  let tick: () => void = () => undefined;
  const ask = (url: string, signal: AbortSignal | null) =>
    new Promise<Response>((answer, fail) => {
      signal?.addEventListener('abort', () => fail(signal.reason));
      open.push({ url, signal, answer });
    });
  const watch = new HostWatch({
    report: (line) => lines.push(line),
    look: async () => 'its process 7 is stopped',
    fetch: (input, init) => ask(String(input), init?.signal ?? null),
    patientFetch: (url, { signal }) => ask(url, signal),
    every: (_ms, run) => {
      tick = run;
      return () => {
        tick = () => undefined;
      };
    },
  });
  /** Lets half seconds pass. */
  const pass = async (seconds: number) => {
    for (let halves = 0; halves < 2 * seconds; halves += 1) {
      tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const answer = async (path: string, body: string | ReadableStream<Uint8Array> = '{}') => {
    const at = open.findIndex(({ url }) => url === `${origin}${path}`);
    if (at < 0) throw new Error(`${path} was not asked`);
    open.splice(at, 1)[0]?.answer(new Response(body));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { watch, lines, open, pass, answer };
}

const stopped = `the host at ${origin} does not answer: its process 7 is stopped; waiting 25 s more for it`;

test('bug: a stopped host kept a command silent for minutes; it is mentioned after 5 s and given up after 30', async (t) => {
  const { watch, lines, pass } = watched();
  const asked = watch.fetch(`${origin}/v1/source-sessions`).catch((error: unknown) => error);
  await pass(4.5);
  t.deepEqual(lines, []);
  await pass(1);
  t.deepEqual(lines, [stopped]);
  await pass(24);
  t.deepEqual(lines, [stopped]);
  await pass(0.5);
  const error = await asked;
  t.true(error instanceof HostSilent);
  t.is((error as Error).message, `the host at ${origin} does not answer`);
});

test('a command waits for an answer that takes an hour, and asks beside it whether the host works', async (t) => {
  const { watch, lines, pass, answer } = watched();
  const asked = watch.patientFetch(`${origin}/long`, { method: 'GET', headers: {}, body: null, signal: null });
  for (let round = 0; round < 1_200; round += 1) {
    await pass(3);
    await answer('/v1/health');
  }
  await answer('/long', 'done');
  t.is(await (await asked).text(), 'done');
  t.deepEqual(lines, []);
});

test('a host that was busy for 10 s is mentioned, and again when it answers', async (t) => {
  const { watch, lines, pass, answer } = watched();
  const asked = watch.fetch(`${origin}/busy`);
  await pass(10);
  await answer('/busy', 'done');
  t.is(await (await asked).text(), 'done');
  t.deepEqual(lines, [stopped, `the host at ${origin} answers again`]);
});

test('a host that stops in the middle of an answer is given up, and one whose reader is slow is not', async (t) => {
  const { watch, lines, open, pass, answer } = watched();
  const asked = watch.fetch(`${origin}/bundle`);
  const signal = open[0]?.signal;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new Uint8Array(3));
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
  await answer('/bundle', body);
  const reader = (await asked).body?.getReader();
  for (let round = 0; round < 20; round += 1) {
    await pass(3);
    await answer('/v1/health');
  }
  t.deepEqual(lines, []);
  t.is((await reader?.read())?.value?.length, 3);
  const rest = reader?.read().catch((error: unknown) => error);
  await pass(30);
  t.is(lines.length, 1);
  t.true((await rest) instanceof HostSilent);
});

test('an aborted request ends with its own reason, and no question follows once no answer is owed', async (t) => {
  const { watch, open, pass, lines } = watched();
  const stop = new AbortController();
  const asked = watch.fetch(`${origin}/any`, { signal: stop.signal }).catch((error: unknown) => error);
  await pass(3);
  t.deepEqual(
    open.map(({ url }) => url),
    [`${origin}/any`, `${origin}/v1/health`],
  );
  stop.abort(new Error('interrupted'));
  t.is(((await asked) as Error).message, 'interrupted');
  await pass(60);
  t.deepEqual([open.length, lines.length], [2, 0]);
});
