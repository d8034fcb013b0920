import type { CaptionQualityReports } from '../../../contract/captions/quality-control.ts';

type GuidelineId = CaptionQualityReports['reports'][number]['profile']['id'];

const names: Readonly<Record<GuidelineId, string>> = { netflix: 'Netflix', ted: 'TED' };

/** Whose guideline it is, as its makers write their name. */
export const guidelineName = (id: GuidelineId): string => names[id];
