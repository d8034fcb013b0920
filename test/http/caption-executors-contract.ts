import test from 'ava';
import { type ErrorCode, errorCodes } from '../../contract/base/error-codes.ts';
import { defaults } from './captions/defaults.ts';
import { productions } from './captions/productions.ts';
import { type AdapterFlag, HostContract } from './host/contract.ts';

const usual = ['--maximum-study-range-ms', '130000'];

const flagsOf: Readonly<Record<string, readonly string[]>> = {
  'deterministic-test': ['--caption-executor=deterministic-test', '--allow-deterministic-caption-test-seam'],
  recognized: ['--caption-executor=recognized', '--allow-recognized-captions'],
  'embedded-subtitles': ['--caption-executor=embedded-subtitles', '--allow-embedded-subtitle-captions'],
};

/** Every executor of captions over the wire of a real host on one adapter, started with one after the other. */
export function captionExecutorsContract(adapter: AdapterFlag): void {
  const flags = [...usual];
  const contract = new HostContract(adapter, flags);
  const startWith = async (executor: string | null) => {
    await contract.stop();
    flags.splice(usual.length, flags.length, ...(executor === null ? [] : (flagsOf[executor] ?? [])));
    await contract.start();
  };
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  defaults(contract);
  productions(contract, startWith);
  test.serial(contract.title('every code of productions was provoked'), (t) => {
    // Only what was recognised is translated: the tests of recognition provoke that it fails.
    const codes = (Object.keys(errorCodes) as ErrorCode[]).filter(
      (code) => /^[a-z]+_caption_[^q]|^caption_/.test(code) && code !== 'caption_translation_failed',
    );
    t.deepEqual(codes.sort(), [
      'caption_authority_required',
      'caption_current_run_causality_required',
      'caption_lines_unavailable',
      'illegal_caption_transition',
      'invalid_caption_request',
    ]);
    t.deepEqual(
      codes.filter((code) => !contract.provoked.has(code)),
      [],
    );
  });
}
