import type { Finding, OverviewAction, RuntimeOverview } from '../../contract/overview/runtime-overview.ts';

/** The commands for what may be done next; the rest is done in the console or over HTTP. */
const commands: Readonly<Partial<Record<OverviewAction['action'], (runtimeId: string) => string>>> = {
  approve: (runtimeId) => `media-study review approve ${runtimeId}`,
  reject: (runtimeId) => `media-study review reject ${runtimeId} --reason CODE`,
  revoke: (runtimeId) => `media-study review revoke ${runtimeId} --reason CODE`,
  read_captions: (runtimeId) => `media-study captions ${runtimeId}`,
  study_again: () => 'media-study study SOURCE --again NAME',
  follow: (runtimeId) => `media-study watch ${runtimeId}`,
};

/** Whether the line of a finding says already what is kept back, with its reason: a kind of evidence that is missing. */
const isSaidBy =
  ({ what, reasonCode }: RuntimeOverview['withheld'][number]) =>
  (finding: Finding): boolean =>
    finding.title === what && finding.reasonCode === reasonCode;

/** What a person wants to know first of a study, a line each: the host has the words. With a kind, of that evidence alone. */
export function summaryLines(overview: RuntimeOverview, kind?: string): string[] {
  const { runtimeId, lifecycle, situation, study, findings, claims, withheld, actions } = overview;
  const found = findings.filter((finding) => kind === undefined || finding.kind === kind);
  return [
    `study ${runtimeId}: ${lifecycle}`,
    `range ${study.text}`,
    ...found.map(({ title, text }) => `${title}: ${text}`),
    ...(kind === undefined
      ? [
          ...claims.map(({ text }) => `claim: ${text}`),
          ...withheld.filter((each) => !findings.some(isSaidBy(each))).map(({ text }) => `withheld: ${text}`),
          `status: ${situation.text}`,
          ...actions.map(({ action, text }) => `next: ${text} (${commands[action]?.(runtimeId) ?? action})`),
        ]
      : []),
  ];
}
