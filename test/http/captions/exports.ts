import { createPublicKey } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { exportNames } from '../../../contract/exports/export-name.ts';
import { signingKeys } from '../../../contract/exports/runtime-bundle.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { verdictOf } from '../../actors/exports/bundled-study.ts';
import type { HostContract } from '../host/contract.ts';
import { ingest } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed, startStudy, studyRequest } from '../host/study-steps.ts';
import { type Captioned, captioned, pathOf, revoke } from './steps.ts';

/** Studies as files for other programs. */
export function exportedFiles(contract: HostContract): void {
  let study: Captioned;
  const fileOf = (name: string, runtimeId = study.runtimeId): string => pathOf(runtimeId, `exports/${name}`);

  test.serial(
    contract.title('a captioned study is every file, each with its digest and what it was made of'),
    async (t) => {
      study = await captioned(t, contract, { clientRequestId: 'exported' });
      for (const name of exportNames) {
        const answer = await contract.get(fileOf(name));
        // Nobody recognises speech on this host, or reads its screen.
        if (/^(transcript|screen-text)\./.test(name)) {
          contract.refused(t, answer, 'export_unavailable');
          continue;
        }
        const { status, headers, body } = answer;
        t.is(status, 200, `${name}: ${body}`);
        t.is(headers.etag, `"${contentIdOfBytes(body)}"`);
        t.regex(String(headers['studio-export-of']), /^sha256:[a-f0-9]{64}(, sha256:[a-f0-9]{64})*$/);
        t.deepEqual((await contract.get(fileOf(name))).body, body);
      }
      const side = async (asked: string) => (await contract.get(`${fileOf('captions.srt')}?side=${asked}`)).body;
      t.notDeepEqual(await side('source'), await side('target'));
    },
  );

  test.serial(contract.title('a client that has a file gets nothing but the word that it is the same'), async (t) => {
    for (const path of [fileOf('facts.csv'), '/v1/openapi.json']) {
      const { headers } = await contract.get(path);
      const tag = String(headers.etag);
      for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const same = await contract.get(path, { headers: { 'If-None-Match': condition } });
        t.deepEqual([same.status, same.headers.etag, same.body.length], [304, tag, 0], `${path} ${condition}`);
        t.is(same.headers['content-length'], undefined);
      }
      const head = await contract.ask('HEAD', path, { headers: { 'If-None-Match': tag } });
      t.is(head.status, 304);
      for (const condition of ['"other"', tag.slice(1, -1), '']) {
        t.is((await contract.get(path, { headers: { 'If-None-Match': condition } })).status, 200, condition);
      }
    }
    contract.refused(
      t,
      await contract.get(fileOf('facts.csv', 'runtime:x'), { headers: { 'If-None-Match': '*' } }),
      'unknown_runtime',
    );
  });

  test.serial(contract.title('a whole study is one archive, signed by the key of the host'), async (t) => {
    const keyFile = join(contract.dataRoot, 'signing-key.pem');
    await writeFile(keyFile, 'no key', { mode: 0o600 });
    contract.refused(t, await contract.get('/v1/signing-keys'), 'signing_key_unusable');
    contract.refused(t, await contract.get(fileOf('bundle')), 'signing_key_unusable');
    await rm(keyFile);
    const { keys } = contract.granted(t, await contract.get('/v1/signing-keys'), 200, signingKeys);
    const trusted = createPublicKey(keys[0]?.publicKey ?? '');
    const { status, headers, body } = await contract.get(fileOf('bundle'));
    t.deepEqual([status, headers['content-type']], [200, 'application/x-tar']);
    t.like(await verdictOf(body, trusted), { found: 'intact', signature: 'trusted' });
    t.true((await contract.get(fileOf('bundle'))).body.equals(body));
    const tag = String(headers.etag);
    t.is((await contract.get(fileOf('bundle'), { headers: { 'If-None-Match': tag } })).status, 304);
    t.is((await contract.ask('HEAD', fileOf('bundle'))).headers['content-length'], String(body.length));
    const whole = await contract.get(`${fileOf('bundle')}?media=include`);
    t.true(whole.body.length > body.length);
    t.not(whole.headers.etag, tag);
    t.like(await verdictOf(whole.body, trusted), { found: 'intact', signature: 'trusted' });
    contract.refused(t, await contract.get(`${fileOf('bundle')}?media=maybe`), 'unknown_query');
    contract.refused(t, await contract.get(fileOf('bundle', 'runtime:x')), 'unknown_runtime');
  });

  test.serial(contract.title('a file is refused by name, query, runtime and what the study lacks'), async (t) => {
    contract.refused(t, await contract.get(fileOf('cuts.mov')), 'not_found');
    contract.refused(t, await contract.get(fileOf('cuts.edl', 'runtime:x')), 'unknown_runtime');
    for (const query of ['side=both', 'rate=23.98', 'rate=', 'fps=25']) {
      contract.refused(t, await contract.get(`${fileOf('cuts.edl')}?${query}`), 'unknown_query');
    }
    const { source } = await ingest(t, contract, humWav(160, 2000));
    if (source === null) throw new Error('not registered');
    const { runtimeId } = await startStudy(t, contract, studyRequest(source));
    await followed(t, contract, runtimeId);
    contract.refused(t, await contract.get(fileOf('cuts.edl', runtimeId)), 'export_unavailable');
    contract.refused(t, await contract.get(fileOf('captions.srt', runtimeId)), 'not_found');
    t.is((await contract.get(fileOf('labels.txt', runtimeId))).status, 200);
  });

  test.serial(contract.title('a withdrawn approval takes the caption files back, and no other'), async (t) => {
    await revoke(t, contract, study);
    contract.refused(t, await contract.get(fileOf('captions.ass')), 'caption_authority_required');
    t.is((await contract.get(fileOf('cuts.otio'))).status, 200);
  });
}
