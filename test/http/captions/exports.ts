import test from 'ava';
import { exportNames } from '../../../contract/exports/export-name.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
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
        const { status, headers, body } = await contract.get(fileOf(name));
        t.is(status, 200, `${name}: ${body}`);
        t.is(headers.etag, `"${contentIdOfBytes(body)}"`);
        t.regex(String(headers['studio-export-of']), /^sha256:[a-f0-9]{64}(, sha256:[a-f0-9]{64})*$/);
        t.deepEqual((await contract.get(fileOf(name))).body, body);
      }
      const side = async (asked: string) => (await contract.get(`${fileOf('captions.srt')}?side=${asked}`)).body;
      t.notDeepEqual(await side('source'), await side('target'));
    },
  );

  test.serial(contract.title('a file is refused by name, query, runtime and what the study lacks'), async (t) => {
    contract.refused(t, await contract.get(fileOf('cuts.mov')), 'not_found');
    contract.refused(t, await contract.get(fileOf('cuts.edl', 'runtime:x')), 'unknown_runtime');
    for (const query of ['side=both', 'rate=29.97', 'rate=', 'fps=25']) {
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
