"""Names that the command line shows without loading what they stand for."""

METRICS = "top1, topN, recall@N, mrr, mrr@N, ndcg, ndcg@N or mean_rank"
