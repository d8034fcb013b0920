import { engineInstallations } from './engines/feature.ts';
import { evaluation } from './evaluation/feature.ts';
import { explanations } from './explanations/feature.ts';
import type { Feature } from './feature.ts';
import { lifecyclesFeature } from './lifecycles/feature.ts';
import { speechRecognition } from './recognition/feature.ts';
import { textOnScreen } from './screen-text/feature.ts';
import { subtitleSync } from './subtitle-sync/feature.ts';
import { translation } from './translation/feature.ts';
import { videoHost } from './video-host/feature.ts';
import { workers } from './workers/feature.ts';

/** Every optional capability of this program. Their order is that of their options, of their engines and of their opening. */
export const features: readonly Feature[] = [
  videoHost,
  workers,
  speechRecognition,
  translation,
  explanations,
  textOnScreen,
  evaluation,
  lifecyclesFeature,
  engineInstallations,
  subtitleSync,
];
