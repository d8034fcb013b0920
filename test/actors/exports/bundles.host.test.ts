import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import { Bundles } from '../../../actors/exports/bundles.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { ObjectStoreError } from '../../../storage/objects/object-store-error.ts';
import {
  bundleOf,
  bundlesOfStudy,
  packed,
  relisted,
  resigned,
  runtimeId,
  study,
  unpacked,
  unsigned,
  verdictOf,
} from './bundled-study.ts';

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'granted',
    (error) => (error instanceof ServiceError ? error.code : String(error)),
  );

test('a bundle has everything that a verification reads, and is verified without the data root', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const { found, signature, checked } = await verdictOf(bytes);
  t.deepEqual([found, signature], ['intact', 'valid']);
  const media = study.run.record.sourceSession.source.contentId;
  const expected = [...study.files.keys()].filter((contentId) => contentId !== media);
  const files = new Set(checked.flatMap(({ contentId }) => contentId ?? []));
  t.deepEqual([...files].sort(), expected.sort());
  const entries = await unpacked(bytes);
  t.is([...entries.keys()].filter((name) => name.startsWith('objects/')).length, expected.length);
});

test('the same runtime gives the same bytes, after another opening of the store too', async (t) => {
  const { root, bundles } = await bundlesOfStudy(t);
  const first = await bundleOf(bundles);
  t.true((await bundleOf(bundles)).equals(first));
  const again = await bundlesOfStudy(t);
  await writeFile(join(again.root, 'signing-key.pem'), await readFile(join(root, 'signing-key.pem')), { mode: 0o600 });
  t.true((await bundleOf(again.bundles)).equals(first));
});

test('the media is in it where it was asked for, and only then said to be checked', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const { contentId } = study.run.record.sourceSession.source;
  const without = await verdictOf(await bundleOf(bundles));
  t.false(without.checked.some((link) => link.contentId === contentId));
  const bytes = await bundleOf(bundles, true);
  const { found, checked } = await verdictOf(bytes);
  t.is(found, 'intact');
  t.true(checked.some((link) => link.contentId === contentId));
  const entry = (await unpacked(bytes)).get(`objects/sha256/${contentId.slice('sha256:'.length)}`);
  t.true(entry?.equals(study.files.get(contentId) ?? Buffer.alloc(0)));
});

test('a study that has not ended is no bundle, nor is one that is unknown or damaged', async (t) => {
  const running = await bundlesOfStudy(t, { commits: 3, lifecycle: 'running' });
  t.is(await codeOf(bundleOf(running.bundles)), 'export_unavailable');
  const { bundles, root } = await bundlesOfStudy(t);
  t.is(await codeOf(bundles.open('runtime:x', { media: false })), 'unknown_runtime');
  const hex = study.start.receiptContentId.slice('sha256:'.length);
  await writeFile(join(dataRootAt(root).objects, hex.slice(0, 2), hex), 'x');
  t.is(await codeOf(bundleOf(bundles)), 'stored_content_inconsistent');
});

for (const { gone, seen } of [
  { gone: 'its journal', seen: 'kept the host busy' },
  { gone: 'its files', seen: 'was refused as damaged' },
]) {
  test(`bug: a bundle of a runtime deleted before the read of ${gone} ${seen}`, async (t) => {
    const { options } = await bundlesOfStudy(t);
    const { ledger, objectStore, openKey } = options;
    const deletion = async () => {
      const note = { receiptId: 'none', deletedAt: '2026-01-01T00:00:00.000Z' };
      await ledger.commit([{ put: 'record', key: `deleted/${runtimeId}`, value: note }, { close: runtimeId }]);
      while ((await ledger.eraseEvents(runtimeId, 1000)) > 0);
    };
    const bundles = new Bundles({
      ...options,
      // Asked for once the runtime was verified, and before its journal and its files are read again.
      openKey: async () => {
        if (gone === 'its journal') await deletion();
        else {
          objectStore.readFile = async () => {
            await deletion();
            throw new ObjectStoreError('object_missing', 'it is gone');
          };
        }
        return openKey();
      },
    });
    t.is(await codeOf(bundleOf(bundles)), 'runtime_deleted');
  });
}

test('media that changed is not handed out', async (t) => {
  const { bundles, root } = await bundlesOfStudy(t);
  const hex = study.run.record.sourceSession.source.contentId.slice('sha256:'.length);
  await bundleOf(bundles, true);
  await writeFile(join(dataRootAt(root).objects, hex.slice(0, 2), hex), 'x');
  t.regex(await codeOf(bundleOf(bundles, true)), /^(stored_content_inconsistent|source_revalidation_failed)$/);
});

test('the key is made once, is for its owner alone, and is refused where it is not', async (t) => {
  const { bundles, root, restarted } = await bundlesOfStudy(t);
  const path = join(root, 'signing-key.pem');
  const [one, other] = await Promise.all([bundles.keys(), bundles.keys()]);
  t.deepEqual(one, other);
  t.is((await stat(path)).mode & 0o777, 0o600);
  const next = await bundlesOfStudy(t);
  t.notDeepEqual(await next.bundles.keys(), one);
  const pem = await readFile(path);
  const opened = () => restarted().keys();
  const other25519 = generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
  const unusable: [string, () => Promise<void>][] = [
    ['readable for others', () => chmod(path, 0o644)],
    ['a key of another kind', () => writeFile(path, other25519)],
    ['no key', () => writeFile(path, 'no key')],
    ['far too long', () => writeFile(path, Buffer.alloc(5000, pem))],
  ];
  for (const [title, damage] of unusable) {
    await damage();
    t.is(await codeOf(opened()), 'signing_key_unusable', title);
    await chmod(path, 0o600);
  }
  await writeFile(path, pem);
  t.deepEqual(await opened(), one);
});

test('unsigned, signed by the trusted key and signed by another one are three answers', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const bytes = await bundleOf(bundles);
  const [key] = (await bundles.keys()).keys;
  const trusted = createPublicKey(key?.publicKey ?? '');
  const entries = await unpacked(bytes);
  const signatures = [
    await verdictOf(bytes, trusted),
    await verdictOf(bytes),
    await verdictOf(await packed(unsigned(entries)), trusted),
    await verdictOf(await packed(resigned(entries)), trusted),
  ].map(({ found, signature }) => `${found}, ${signature}`);
  t.deepEqual(signatures, ['intact, trusted', 'intact, valid', 'intact, unsigned', 'intact, untrusted']);
  const forged = relisted(new Map([...entries, ['schemas.json', Buffer.from('{}\n')]]));
  t.is((await verdictOf(await packed(forged), trusted)).found, 'signature: statement.subject[0].digest.sha256');
});

test('the schemas in a bundle describe its events and records', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const entries = await unpacked(await bundleOf(bundles));
  const { schemas } = JSON.parse(String(entries.get('schemas.json')));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const isEvent = ajv.compile(schemas.event);
  for (const line of String(entries.get('journal.jsonl')).trimEnd().split('\n')) {
    t.true(isEvent(JSON.parse(line)), ajv.errorsText(isEvent.errors));
  }
  t.true(ajv.validate(schemas.manifest, JSON.parse(String(entries.get('manifest.json')))));
  t.true(ajv.validate(schemas.envelope, JSON.parse(String(entries.get('signature.json')))));
  const start = entries.get(`objects/sha256/${study.start.receiptContentId.slice('sha256:'.length)}`);
  t.true(ajv.validate(schemas['run-start'], JSON.parse(String(start))), ajv.errorsText());
  t.is(runtimeId, JSON.parse(String(entries.get('manifest.json'))).runtimeId);
});

test('every stored file of JSON in a bundle, and its rows, follow one of its schemas', async (t) => {
  const { bundles } = await bundlesOfStudy(t);
  const entries = await unpacked(await bundleOf(bundles));
  const { schemas } = JSON.parse(String(entries.get('schemas.json')));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const checks = Object.values<object>(schemas).map((schema) => ajv.compile(schema));
  const records = [...entries].filter(
    ([name, content]) => (name.startsWith('objects/') && content[0] === 0x7b) || name === 'rows.json',
  );
  t.true(records.length > 10);
  for (const [, content] of records) {
    const record = JSON.parse(String(content));
    t.true(
      checks.some((isOne) => isOne(record)),
      record.schema,
    );
  }
});
