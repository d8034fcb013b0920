import test, { type ExecutionContext } from 'ava';
import { knownLives, livedRoot } from '../host/lives.ts';
import { ModelInMemory } from '../host/model-in-memory.ts';
import { checkWhole } from './checks.ts';
import { CopiedLife, inTwoLanes, isDeadly, type Left, SharedLife } from './copied-lives.ts';
import { openInMemory } from './host-in-memory.ts';
import { LaterClient, type StoredEvent } from './later-client.ts';

const flags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const { twelveSeconds: runtimeId } = knownLives().studies;

/** Everything begun is ended, each once, and interrupted work is recorded as such. */
function checkPairs(t: ExecutionContext, journal: readonly StoredEvent[]): void {
  const open = new Set<string>();
  for (const { type, data } of journal) {
    const [, of, step] = /^((?:publish|caption)\..+)_(started|completed|failed)$/.exec(type) ?? [];
    if (of === undefined) continue;
    const id = `${of} ${data.jobId ?? data.revocationId ?? data.reviewId ?? data.intakeId}`;
    if (step === 'started') {
      t.false(open.has(id), `${id} began twice`);
      open.add(id);
    } else t.true(open.delete(id), `${id} ends what was not begun`);
    if (step === 'failed') t.regex(JSON.stringify(data.reason), /interrupted: /);
  }
  t.deepEqual([...open], []);
}

/** From the end of a study to the withdrawal of its approval, without a crash: what each death on the way leaves. */
const way = new SharedLife(async (t, { folder }) => {
  const root = livedRoot(t, 'studied');
  const life = new CopiedLife({ root, copies: folder, isWanted: isDeadly, known: () => undefined });
  let isCounted = false;
  const host = await openInMemory(t, root, { flags, points: (name) => isCounted && life.point(name) });
  isCounted = true;
  const client = new LaterClient(host);
  await client.finish(runtimeId);
  isCounted = false;
  const journal = await client.journal(runtimeId);
  await host.stop();
  return { journal, ...life };
});
test.after.always(way.remove);

/** All deaths, each lived on to its end: how many of them cut a production of captions. */
const deaths = new SharedLife(async (t) => {
  const cuts: number[] = [];
  const { left } = await way.of(t);
  await inTwoLanes(left, async (each) => cuts.push(await liveOnFrom(t, each)));
  return { lived: left.length, cut: cuts.reduce((sum, cut) => sum + cut, 0) };
});
test.after.always(deaths.remove);

/** Goes on with what a death left, finishes it and looks at all of it; resolves with how many captions it cut. */
async function liveOnFrom(t: ExecutionContext, { root, point }: Left<undefined>): Promise<number> {
  const host = await openInMemory(t, root, { flags });
  const client = new LaterClient(host);
  await client.finish(runtimeId);
  const journal = await client.journal(runtimeId);
  checkPairs(t, journal);
  await host.stop();
  await checkWhole(t, root);
  const cut = journal.filter(({ type }) => type === 'caption.production_failed').length;
  t.log(`died at ${point}${cut === 0 ? '' : ', which cut the captions'}`);
  return cut;
}

test('without a crash an approved study becomes captions, and its approval is withdrawn', async (t) => {
  const { journal, passed } = await way.of(t);
  checkPairs(t, journal);
  t.log(passed.join(' '));
  t.true(passed.length >= 20);
});

test('a death at any commit from approval to withdrawal leaves nothing open, no approval burnt', async (t) => {
  t.true((await deaths.of(t)).lived > 0);
});

test('some of the deaths came while captions were made', async (t) => {
  t.true((await deaths.of(t)).cut > 0);
});

const explaining = [
  ...flags,
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

/** A host that asks this model. */
const openWith = (t: ExecutionContext, root: string, model: ModelInMemory, points?: (name: string) => void) =>
  openInMemory(t, root, {
    flags: explaining,
    environment: { OPENAI_BASE_URL: model.baseUrl },
    ...(points === undefined ? {} : { points }),
  });

/** How often an explanation began and ended; every one that ended badly was interrupted. */
function endings(t: ExecutionContext, journal: readonly StoredEvent[]) {
  const countOf = (step: string) => journal.filter(({ type }) => type === `language.explanation_${step}`).length;
  for (const { type, data } of journal) {
    if (type === 'language.explanation_failed') t.regex(JSON.stringify(data.reason), /"interrupted: /);
  }
  return { started: countOf('started'), completed: countOf('completed'), failed: countOf('failed') };
}

/** An explanation without a crash: the remains of each death on its way, with the questions up to it. */
const explained = new SharedLife(async (t, { folder }) => {
  const root = livedRoot(t, 'captioned');
  const model = new ModelInMemory();
  const known = () => model.asked.length;
  const life = new CopiedLife({ root, copies: folder, isWanted: isDeadly, known });
  let isCounted = false;
  const host = await openWith(t, root, model, (name) => isCounted && life.point(name));
  isCounted = true;
  const client = new LaterClient(host);
  await client.explain(runtimeId);
  isCounted = false;
  const journal = await client.journal(runtimeId);
  await host.stop();
  return { journal, asked: model.asked.length, ...life };
});
test.after.always(explained.remove);

/** All deaths, each lived on to its end: how many of them cut an explanation. */
const explanationDeaths = new SharedLife(async (t) => {
  let cut = 0;
  const { left } = await explained.of(t);
  for (const each of left) cut += await explainFrom(t, each);
  return { lived: left.length, cut };
});
test.after.always(explanationDeaths.remove);

/** Goes on with what a death left; resolves with how many explanations it cut. */
async function explainFrom(t: ExecutionContext, { root, point, known: askedBefore }: Left<number>): Promise<number> {
  const model = new ModelInMemory();
  const host = await openWith(t, root, model);
  const client = new LaterClient(host);
  const found = endings(t, await client.journal(runtimeId));
  t.is(found.started, found.completed + found.failed, point);
  t.is(model.asked.length, 0, point);
  await client.explain(runtimeId);
  const left = endings(t, await client.journal(runtimeId));
  t.deepEqual(left, { ...left, completed: 1, failed: found.failed });
  t.true(askedBefore + model.asked.length <= left.started, point);
  await host.stop();
  await checkWhole(t, root);
  t.log(`died at ${point}, with ${askedBefore} questions asked and ${found.failed} cut`);
  return found.failed;
}

test('without a crash the first words of the captions are explained', async (t) => {
  const { journal, asked, passed } = await explained.of(t);
  t.deepEqual(endings(t, journal), { started: 1, completed: 1, failed: 0 });
  t.is(asked, 1);
  t.log(passed.join(' '));
});

test('a host that dies after any commit of an explanation asks again only on request', async (t) => {
  t.true((await explanationDeaths.of(t)).lived > 0);
});

test('some of the deaths came between the start of an explanation and its end', async (t) => {
  t.true((await explanationDeaths.of(t)).cut > 0);
});
