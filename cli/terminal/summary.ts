import type { RuntimeOverview } from '../../contract/overview/runtime-overview.ts';

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
          ...withheld.map(({ text }) => `withheld: ${text}`),
          `status: ${situation.text}`,
          ...actions.map(({ action, text }) => `next: ${text} (${action})`),
        ]
      : []),
  ];
}
