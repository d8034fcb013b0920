import test from 'ava';
import { type ErrorCode, errorCodes } from '../../contract/base/error-codes.ts';
import { exportedFiles } from './captions/exports.ts';
import { qualityControls } from './captions/quality-controls.ts';
import { qualityReports } from './captions/quality-reports.ts';
import { captionFiles } from './captions/web-vtt.ts';
import { type AdapterFlag, HostContract } from './host/contract.ts';

const executor = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];

/** Captions over the wire of a real host on one adapter. The suites run in this order, on the same host. */
export function captionsContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter, executor);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  qualityControls(contract);
  captionFiles(contract);
  exportedFiles(contract);
  qualityReports(contract);
  test.serial(contract.title('every code of checks and exports was provoked'), (t) => {
    const codes = (Object.keys(errorCodes) as ErrorCode[]).filter(
      (code) => code.includes('caption_qc') || code.startsWith('export_') || code.startsWith('signing_'),
    );
    t.is(codes.length, 4);
    t.deepEqual(
      codes.filter((code) => !contract.provoked.has(code)),
      [],
    );
  });
}
