import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { Bundles } from '../../../actors/exports/bundles.ts';
import { EvidenceAudits } from '../../../actors/reopening/evidence-audits.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { causesText } from '../../../contract/causes/wording.ts';
import { runtimeJudgements } from '../../../contract/judgement.ts';
import { unpackStores } from '../../../fixtures/golden-store/archive.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { captionProductionVersion } from '../../../machines/caption-production.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { captionsPart, overviewedRuntime, reviewPart } from '../../../receipts/overview/parts.ts';
import { ruleSets } from '../../../rules/rule-sets.ts';
import { openSigningKey } from '../../../storage/signing-key.ts';
import { linesOf, verify } from '../../cli/verified-root.ts';
import {
  type Change,
  shapesByRules,
  studyWithCaptions,
  withOtherText,
} from '../../receipts/captions/captioned-studies.ts';
import { bytesOf } from '../exports/bundled-study.ts';
import { newDataRoot, openStore, store } from './stored-studies.ts';

/** A data root with captions that a host made under these rules, changed before it stored them, and a bundle of the study. */
async function rootWith(t: ExecutionContext, shape: keyof typeof shapesByRules, change: Change) {
  const { jobId, stored } = await studyWithCaptions(shapesByRules[shape], change);
  const root = await newDataRoot(t);
  const opened = await openStore(root);
  const { ledger, objectStore } = opened;
  const runtimeId = await store(opened, stored);
  const row = ledger.get('snapshot', runtimeId) as object;
  const machine = {
    kind: 'caption-production',
    machineId: 'caption-production',
    machineVersion: captionProductionVersion,
  };
  await ledger.commit([
    { put: 'snapshot', key: jobId, value: { ...row, ...machine, input: { runtimeId, jobId }, status: 'checked' } },
  ]);
  return { root, runtimeId, opened, runtimes: new VerifiedRuntimes({ ledger, objectStore }) };
}

const form = 'judged by caption rules 1; this program has 5: form checked';

test('captions by older rules: a host, verify and a bundle report a check of their form', async (t) => {
  const { root, runtimeId, opened, runtimes } = await rootWith(t, 'first', withOtherText);
  const { ledger, objectStore } = opened;
  const audits = new EvidenceAudits(runtimes, objectStore);
  const { judgements } = runtimeJudgements.parse(await audits.judgements(runtimeId));
  t.deepEqual(
    judgements.map(({ link, judgement: { check, rules } }) => [link, check, `${rules.name} ${rules.version}`]),
    [
      ['assessment', 'judged_again', 'claim rules 1'],
      ['decision', 'judged_again', 'decision policy 1'],
      ['caption', 'form_checked', 'caption rules 1'],
      ['quality_control', 'judged_again', 'quality control 1'],
    ],
  );
  const openKey = () => openSigningKey(root);
  const { reader } = await new Bundles({ ledger, objectStore, runtimes, openKey }).open(runtimeId, { media: false });
  const bundle = join(dirname(root), 'study.tar');
  await writeFile(bundle, await bytesOf(reader, 65_536));
  reader.close();
  await opened.close();

  for (const call of [
    [runtimeId, '--all', '--data-root', root],
    [bundle, '--all'],
  ]) {
    const said = await verify(...call);
    const lines = linesOf(said).filter((line) => line.startsWith('form'));
    t.is(said.exit, 0, said.stdout);
    t.is(lines.length, 2);
    t.regex(lines[0] ?? '', new RegExp(`^form {2}caption .*: \\d+ lines; ${form}$`));
    t.regex(lines[1] ?? '', /^form checked: 1 record /);
    t.regex(
      said.stdout,
      /^its captions may have faults that are mended now: make them again with media-study caption/m,
    );
    t.regex(said.stdout, /^ok {4}quality_control .*; judged again by quality control 1$/m);
    const { verdict, checked } = JSON.parse((await verify(...call, '--json')).stdout);
    const judged = checked.find(({ link }: { link: string }) => link === 'caption').judgement;
    t.is(verdict, 'intact');
    t.deepEqual(judged, { rules: { name: 'caption rules', version: 1 }, present: 5, check: 'form_checked' });
  }
});

test('recognized captions of 1.0.0: their transcript is checked for its form, and the captions are judged again', async (t) => {
  const folder = dirname(await newDataRoot(t));
  unpackStores('fixtures/golden-store/releases/1.0.0/stores.tar.br', folder, (name) => name === 'life.recognized');
  const { ledger, objectStore, close } = await openStore(join(folder, 'life.recognized'));
  t.teardown(close);
  const [{ key: runtimeId } = { key: '' }] = await ledger.list('snapshot', 'runtime:');
  const audits = new EvidenceAudits(new VerifiedRuntimes({ ledger, objectStore }), objectStore);
  const { judgements } = runtimeJudgements.parse(await audits.judgements(runtimeId));
  const of = (wanted: string) => judgements.filter(({ link }) => link === wanted).map(({ judgement }) => judgement);
  t.deepEqual(of('recognition'), [
    { rules: { name: 'transcript gates', version: 2 }, present: 4, check: 'form_checked' },
  ]);
  t.deepEqual(of('caption'), [{ rules: { name: 'caption rules', version: 5 }, present: 5, check: 'judged_again' }]);
});

test('captions of 1.0.0 are named as those of older rules, with the way to make them again', async (t) => {
  const folder = dirname(await newDataRoot(t));
  unpackStores('fixtures/golden-store/releases/1.0.0/stores.tar.br', folder, (name) => name === 'life.recognized');
  const { ledger, objectStore, close } = await openStore(join(folder, 'life.recognized'));
  t.teardown(close);
  const [{ key: runtimeId } = { key: '' }] = await ledger.list('snapshot', 'runtime:');
  const runtime = await new VerifiedRuntimes({ ledger, objectStore }).read(runtimeId);
  const actorState = { lifecycle: 'terminal', reason: null, resumes: 0, deadlineLeftMs: null, waitsFor: null } as const;
  const captions = {
    classification: 'recorded_real_pipeline_fixture',
    allowance: defaultCaptionAllowance,
  } as const;
  const host = { reviewerId: 'reviewer:one', captions, explains: false, sourceIsCurrent: true };
  const overviewed = overviewedRuntime(runtime, actorState, host);
  const review = reviewPart(overviewed);
  const part = resultOfSteps(captionsPart(overviewed, review));
  t.is(part.state, 'done');
  const [cause] = part.causes;
  t.deepEqual(cause, { code: 'captions_of_older_rules', params: { rules: 3, present: 5 } });
  if (cause !== undefined) t.regex(causesText([cause], 'terminal'), /caption rules 3, now 5.*make them again/);
  t.is(review.plan, null);
  t.deepEqual(review.causes, [{ code: 'approved_without_plan', params: {} }]);
});

test('captions that the present rules do not give are damage, with every digest right', async (t) => {
  const { root, runtimeId, opened, runtimes } = await rootWith(t, 'present', withOtherText);
  await t.throwsAsync(runtimes.read(runtimeId), { instanceOf: EvidenceChainError });
  await opened.close();
  const damaged = await verify(runtimeId, '--data-root', root);
  t.is(damaged.exit, 1);
  t.regex(damaged.stdout, /^damaged: .*, at caption: lines\[0\]\.source\.text\n$/);
});

test('captions by older rules with other bytes than their name says are damage', async (t) => {
  const { root, runtimeId, opened } = await rootWith(t, 'first', withOtherText);
  const judged = (await new VerifiedRuntimes(opened).read(runtimeId)).judged.find(({ link }) => link === 'caption');
  const hex = judged?.contentId?.slice('sha256:'.length) ?? '';
  await opened.close();
  const file = join(root, 'objects', 'sha256', hex.slice(0, 2), hex);
  await chmod(file, 0o600);
  await writeFile(file, (await readFile(file, 'utf8')).replace('Hello.', 'Hullo.'));
  const damaged = await verify(runtimeId, '--data-root', root);
  t.is(damaged.exit, 1);
  t.regex(damaged.stdout, /^damaged: .*, at caption: content\n$/);
});

test('the page on verification has every rule set with its version', async (t) => {
  const page = await readFile('docs/verification.md', 'utf8');
  const rows = [...page.matchAll(/^\| ([a-z ]+) \| (\d+) \| /gm)].map(([, name, version]) => `${name} ${version}`);
  t.deepEqual(
    rows.sort(),
    Object.values(ruleSets)
      .map(({ name, version }) => `${name} ${version}`)
      .sort(),
  );
});
