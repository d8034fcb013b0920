import { createPublicKey } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';
import test from 'ava';
import { bundledCaptions } from '../../contract/exports.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { unpacked } from '../actors/exports/bundled-study.ts';
import { openCaptioned, pathOf } from '../http/captions/steps.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { verify } from './verified-root.ts';

test('the receiver of a captions file and a bundle learns with one command whether it is the signed one', async (t) => {
  const { host, study } = await openCaptioned(t);
  const folder = await scratchFolder(t);
  await mkdir(folder, { recursive: true });
  const exported = async (name: string) => (await host.get(pathOf(study.runtimeId, `exports/${name}`))).body;
  const bundle = join(folder, 'film.tar');
  const archive = await exported('bundle');
  await writeFile(bundle, archive);
  const compared = async (bytes: Uint8Array) => {
    const path = join(folder, 'film.en.srt');
    await writeFile(path, bytes);
    const { exit, stdout, stderr } = await verify(bundle, '--captions', path);
    return { exit, said: (stdout.match(/^captions: .*(?:\n {2}in the .*)*/m)?.[0] ?? stderr).replaceAll(path, 'FILE') };
  };
  const srt = await exported('captions.srt?lines=netflix.v2');
  const form = '(captions.srt, target side, lines netflix.v2, corrections applied)';
  const signed = { exit: 0, said: `captions: FILE is the file of this study, byte for byte ${form}` };
  t.deepEqual(await compared(srt), signed);
  const listed = bundledCaptions.parse(JSON.parse(String((await unpacked(archive)).get('captions.json'))));
  for (const name of ['captions.srt?side=source', 'captions.vtt?side=both', 'captions.ass?lines=author']) {
    const file = await exported(name);
    t.is((await compared(file)).exit, 0, name);
    t.true(listed.files.some(({ contentId }) => contentId === contentIdOfBytes(file)));
  }
  const text = srt.toString('utf8');
  const spelled = `captions: FILE has the words and times of this study, but other bytes:`;
  for (const [bytes, how] of [
    [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), srt]), 'it begins with a byte order mark'],
    [Buffer.from(text.replaceAll('\n', '\r\n')), 'its lines end with CR LF or CR'],
    [Buffer.from(`\ufeff${text}`, 'utf16le'), 'it is UTF-16'],
    [Buffer.from(`${text}\n\n`), 'it begins or ends with other blank lines'],
  ] as const) {
    t.deepEqual(await compared(bytes), { exit: 4, said: `${spelled} ${how} ${form}` });
  }
  const [first = ''] = text.split('\n\n');
  const changed = await compared(Buffer.from(text.replace(first, first.replace(/\n[^\n]+$/, '\nOther words'))));
  t.is(changed.exit, 4);
  t.regex(
    changed.said,
    /^captions: FILE was changed: 2 cues as in this study, 1 only in the file, 1 only in the study/,
  );
  t.regex(changed.said, /\n {2}in the file: {2}.* \/ Other words\n {2}in the study: /);
  const another = await compared(Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nSomething else\n'));
  t.deepEqual(another, {
    exit: 4,
    said: 'captions: FILE is another file: it shares no cue with the captions of this study',
  });
  const missing = await verify(bundle, '--captions', join(folder, 'none.srt'));
  t.is(missing.exit, 2);
  t.regex(missing.stderr, /^invalid_flags: --captions .*none\.srt: /);
  const { stdout } = await verify(bundle, '--json', '--captions', join(folder, 'film.en.srt'));
  t.like(JSON.parse(stdout), { verdict: 'intact', captions: { state: 'another_file' } });
});

test('a verification says first what is verified and who reviewed it, and shows digests only on request', async (t) => {
  const { host, study } = await openCaptioned(t);
  const folder = await scratchFolder(t);
  await mkdir(folder, { recursive: true });
  const bundle = join(folder, 'film.tar');
  await writeFile(bundle, (await host.get(pathOf(study.runtimeId, 'exports/bundle'))).body);
  const { stdout } = await verify(bundle);
  t.regex(stdout, /^intact: .+\nreview: approved by .+\nlast change: 20\d\d-.+Z\nstudy: runtime:/);
  t.false(stdout.includes('sha256'));
  const all = await verify(bundle, '--all');
  t.true(all.stdout.startsWith(stdout.split('\n').slice(0, 4).join('\n')));
  t.regex(all.stdout, /^ok {4}caption_receipt +sha256:/m);
});

test('a Sigstore client verifies the envelope of a bundle by the hint of its key', async (t) => {
  const { host, study } = await openCaptioned(t);
  const entries = await unpacked((await host.get(pathOf(study.runtimeId, 'exports/bundle'))).body);
  const stored = JSON.parse(String(entries.get('signature.sigstore.json')));
  const { keyid } = stored.dsseEnvelope.signatures[0];
  const publicKey = createPublicKey(String(entries.get('signing-key.pem')));
  const root = { mediaType: '', tlogs: [], certificateAuthorities: [], ctlogs: [], timestampAuthorities: [] };
  const trust = toTrustMaterial(root, (hint) => {
    if (hint !== keyid) throw new Error(`no key for ${hint}`);
    return { publicKey, validFor: () => true };
  });
  const verifier = new Verifier(trust, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
  const verified = (bundle: unknown) => verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
  t.truthy(verified(stored).key);
  const payload = Buffer.from(stored.dsseEnvelope.payload, 'base64');
  payload[100] = (payload[100] ?? 0) ^ 1;
  const forged = { ...stored, dsseEnvelope: { ...stored.dsseEnvelope, payload: payload.toString('base64') } };
  t.throws(() => verified(forged), { message: /signature verification failed/ });
});
