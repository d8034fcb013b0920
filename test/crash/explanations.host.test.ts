import test, { type ExecutionContext } from 'ava';
import { knownLives, livedRoot } from '../host/lives.ts';
import { ModelInMemory } from '../host/model-in-memory.ts';
import { checkWhole } from './checks.ts';
import { CopiedLife, isDeadly, type Left, SharedLife } from './copied-lives.ts';
import { openInMemory } from './host-in-memory.ts';
import { LaterClient, type StoredEvent } from './later-client.ts';

const flags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

const { twelveSeconds: runtimeId } = knownLives().studies;

/** A host that asks this model. */
const openWith = (t: ExecutionContext, root: string, model: ModelInMemory, points?: (name: string) => void) =>
  openInMemory(t, root, {
    flags,
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

/** An explanation without a crash: what each death on its way leaves, with the questions that were asked until then. */
const way = new SharedLife(async (t, { folder }) => {
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
test.after.always(way.remove);

/** All deaths, each lived on to its end: how many of them cut an explanation. */
const deaths = new SharedLife(async (t) => {
  let cut = 0;
  const { left } = await way.of(t);
  for (const each of left) cut += await liveOnFrom(t, each);
  return { lived: left.length, cut };
});
test.after.always(deaths.remove);

/** Goes on with what a death left; resolves with how many explanations it cut. */
async function liveOnFrom(t: ExecutionContext, { root, point, known: askedBefore }: Left<number>): Promise<number> {
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
  const { journal, asked, passed } = await way.of(t);
  t.deepEqual(endings(t, journal), { started: 1, completed: 1, failed: 0 });
  t.is(asked, 1);
  t.log(passed.join(' '));
});

test('a host that dies after any commit of an explanation asks for it again only when it is asked', async (t) => {
  t.true((await deaths.of(t)).lived > 0);
});

test('some of the deaths came between the start of an explanation and its end', async (t) => {
  t.true((await deaths.of(t)).cut > 0);
});
