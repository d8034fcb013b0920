import test from 'ava';
import { type ErrorCode, errorCodes } from '../../contract/base/error-codes.ts';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { answers } from './explanations/answers.ts';
import { failures } from './explanations/failures.ts';
import { refusals } from './explanations/refusals.ts';
import { apiKey, model } from './explanations/steps.ts';
import { unavailable } from './explanations/unavailable.ts';
import { type AdapterFlag, HostContract } from './host/contract.ts';

const captionFlags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const explainerFlags = [
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', model],
];

/** Explanations over the wire of a real host on one adapter, by a provider that behaves as the suites want it. */
export function explanationsContract(adapter: AdapterFlag): void {
  const flags = [...captionFlags, ...explainerFlags];
  const environment: Record<string, string> = { OPENAI_API_KEY: apiKey };
  const contract = new HostContract(adapter, flags, environment);
  let started: StubProvider | undefined;
  const provider = (): StubProvider => {
    if (started === undefined) throw new Error('the provider was not started');
    return started;
  };
  test.before(async () => {
    started = await StubProvider.start();
    environment.OPENAI_BASE_URL = started.baseUrl;
    await contract.open();
  });
  test.after.always(async () => {
    await contract.close();
    await started?.close();
  });
  const explained = answers(contract, provider);
  refusals(contract, provider);
  failures(contract, provider);
  unavailable(contract, provider, explained, () => flags.splice(captionFlags.length));
  test.serial(contract.title('every code of explanations was provoked'), (t) => {
    const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => code.includes('language_'));
    t.deepEqual(
      codes.filter((code) => !contract.provoked.has(code)),
      [],
    );
  });
}
