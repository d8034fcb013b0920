import type { ChartMigrations } from './chart-migrations.ts';

/** There is one version of this chart so far. */
export const ownedIngestMigrations: ChartMigrations = {};
