import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { StudyHost } from '../../../client/study-host.ts';
import type { ScreenTextFact } from '../../../contract/evidence/evidence.ts';
import { readSampleGold, type SampleGold } from '../../../fixtures/sample/gold.ts';
import { followed, newRoot, openClientHost, sampleOf } from '../../actors/client-host.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { descendants } from '../../executors/evidence/detection-for-tests.ts';
import { copyAsLeft } from '../../host/host-in-process.ts';

const hostOn = (t: ExecutionContext, root: string) =>
  openClientHost(t, root, { flags: ['--screen-text', 'tesseract'] });

async function startOn(client: StudyHost, range?: { startMs: number; endMs: number }): Promise<string> {
  const request = { targetLanguage: 'en', ...(range === undefined ? {} : { range }) };
  return (await client.study(await sampleOf(client), request).started).runtimeId;
}

/** Resolves when a window was read, and another one is under way. */
async function underWay(client: StudyHost, runtimeId: string): Promise<void> {
  for (let isUnderWay = false; !isUnderWay; await delay(10)) {
    const { stage, completed } = await client.progress(runtimeId);
    if (stage === 'read' || stage === 'ended') throw new Error(`the reading was over at ${stage}`);
    isUnderWay = stage === 'readScreen' && (completed ?? 0) > 0;
  }
}

async function textsOf(client: StudyHost, runtimeId: string) {
  const [row] = (await client.evidence(runtimeId, 'screen_text')).evidence;
  const facts = (row?.facts ?? []).filter((fact): fact is ScreenTextFact => fact.kind === 'screen_text');
  return { row, facts, passed: facts.filter(({ outcome }) => outcome === 'passed') };
}

const plain = (text: string): string => text.replaceAll(' ', '');

/** True if a text was read while it was visible, and no longer. */
const isRead = (passed: readonly ScreenTextFact[], { text, startMs, endMs }: SampleGold['screenText'][number]) =>
  passed.some((fact) => plain(fact.text) === plain(text) && fact.startMs >= startMs && fact.endMs <= endMs);

/** The claim of recognized text cites every text that passed, and the overview counts them. */
async function saidOfTexts(t: ExecutionContext, client: StudyHost, runtimeId: string, texts: number): Promise<void> {
  const claims = (await client.claims(runtimeId)).audits.flatMap((audit) => audit.claims);
  const claimed = claims.filter(({ kind }) => kind === 'screen_text');
  t.deepEqual(
    claimed.map(({ value, states }) => [value, states]),
    [['recognised', ['supported']]],
  );
  t.is(claimed[0]?.citations[0]?.factIndexes.length, texts);
  const overview = await client.overview(runtimeId);
  const sentence = overview.claims.find(({ kind }) => kind === 'screen_text')?.text ?? '';
  t.regex(sentence, /^text recognized on the screen in \d+ windows, /);
  const finding = overview.findings.find(({ kind }) => kind === 'screen_text')?.text ?? '';
  t.regex(
    finding,
    /^\d+ texts recognized(?:, \d+ more withheld \((?:low_confidence|too_short|seen_once|clutter) \d+.*\))?$/,
  );
  t.is(Number.parseInt(finding, 10), texts);
}

test('the screen text of the sample is read, kept apart, and read to the end by the next host', async (t) => {
  const [root, copy] = [await newRoot(t), await newRoot(t)];
  const { host, client } = await hostOn(t, root);
  const source = await sampleOf(client);
  const { warnings } = await client.warnings(source, { targetLanguage: 'en' });
  t.like(
    warnings.find(({ code }) => code === 'screen_text_will_be_read'),
    { engine: 'tesseract', languages: ['eng', 'kor'], pictures: Math.ceil(source.durationMs / 1000) },
  );
  const runtimeId = await startOn(client);
  // The data root after a kill during the second window.
  await underWay(client, runtimeId);
  copyAsLeft(root, copy);
  await followed(client, runtimeId);
  const { row, facts, passed } = await textsOf(client, runtimeId);
  const { screenText } = await readSampleGold();
  const read = screenText.filter((each) => isRead(passed, each));
  t.true(read.length >= 10, JSON.stringify(facts));
  t.is(passed.length, read.length, 'nothing else passed');
  t.like(row?.tool, { name: 'tesseract.js' });
  const { evidence } = await client.evidence(runtimeId);
  t.true(evidence.some(({ kind }) => kind === 'screen_text'));
  t.is((await client.evidence(runtimeId, 'all')).evidence.filter(({ kind }) => kind === 'screen_text').length, 1);
  await saidOfTexts(t, client, runtimeId, passed.length);
  // Bug: a study that was done announced its work again.
  t.deepEqual((await client.warnings(source, { targetLanguage: 'en' })).warnings, []);
  await host.stop();
  await checkRuntimes(t, root);

  const next = await hostOn(t, copy);
  await followed(next.client, runtimeId);
  t.deepEqual((await textsOf(next.client, runtimeId)).facts, facts);
  const table = await next.client.export(runtimeId, 'screen-text.csv');
  t.is(table.split('\r\n').length, passed.length + 2);
  t.regex(table, /\r\n\d+,\d+,\d+,\d+,\d+,\d+,9\d\d,en,"Chapter one",sha256:/);

  // An engine that dies leaves a study without the text on its screen, and what was read before is not read again.
  const other = await startOn(next.client, { startMs: 500, endMs: 41_000 });
  await underWay(next.client, other);
  for (const pid of descendants(process.execPath)) process.kill(pid, 'SIGKILL');
  await followed(next.client, other);
  t.is((await textsOf(next.client, other)).row?.reasonCode, 'recognition_failed');
  t.is((await next.client.status(other)).lifecycle, 'terminal');
  await next.host.stop();
  await checkRuntimes(t, copy);
});
