import type { Clock } from '../../contract/base/clock.ts';
import { translationLimits } from '../../contract/captions/caption-translation.ts';
import type { Detector } from '../../executors/detector/detector.ts';
import { openHostedChat } from '../../executors/explanations/hosted-chat.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { CaptionTranslations } from './caption-translations.ts';

/** The translator of a host; null where none is configured. */
export async function openTranslator(
  chosen: { readonly provider: HostedProvider; readonly model: string } | null,
  detector: Pick<Detector, 'identify'>,
  clock: Clock,
): Promise<CaptionTranslations | null> {
  if (chosen === null) return null;
  const limits = { ...translationLimits, maxWallMs: translationLimits.maxAskWallMs };
  const chat = await openHostedChat({ ...chosen, clock, limits, temperature: 0 });
  return new CaptionTranslations({ ...chosen, chat, detector });
}
