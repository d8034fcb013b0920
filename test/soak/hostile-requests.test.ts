import { hostileRequests } from '../attacks/hostile/hostile-requests-contract.ts';

for (const adapter of ['uws', 'node'] as const) hostileRequests(adapter, 10_000);
