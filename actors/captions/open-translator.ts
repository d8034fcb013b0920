import type { Clock } from '../../contract/base/clock.ts';
import { singleAnswerGates, translationGates, translationLimits } from '../../contract/captions/caption-translation.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { openHostedChat } from '../../executors/explanations/hosted-chat.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { CaptionTranslations } from './caption-translations.ts';

/** Which model translates for a host, and where. */
export interface ChosenTranslator {
  readonly provider: HostedProvider;
  readonly model: string;
  /** Whether it is asked for each line once; twice where this is absent. */
  readonly isAskedOnce?: boolean;
}

/** The translator of a host; null where none is configured. */
export async function openTranslator(
  chosen: ChosenTranslator | null,
  detector: Pick<Detector, 'identify'>,
  clock: Clock,
): Promise<CaptionTranslations | null> {
  if (chosen === null) return null;
  const limits = { ...translationLimits, maxWallMs: translationLimits.maxAskWallMs };
  const chat = await openHostedChat({ ...chosen, clock, limits, temperature: 0 });
  const gates = chosen.isAskedOnce === true ? singleAnswerGates : translationGates;
  return new CaptionTranslations({ ...chosen, chat, detector, gates });
}
