import type { Engine } from '../../../contract/operation.ts';

/** The engines that work on the media of a study; the others begin when a person asks for what they make. */
const ofStudies: readonly Engine['engine'][] = ['detectors', 'recognizer', 'screen_text'];

/** Where a study sends what it works on, and whether that may cost money. */
export function reachWords(engines: readonly Engine[]): string {
  const sending = engines.filter(
    ({ engine, isOn, reach }) => isOn && reach !== 'this_host' && ofStudies.includes(engine),
  );
  return sending.length === 0
    ? 'nothing leaves this machine, and nothing is paid for'
    : sending.map(({ text }) => text).join('; ');
}
