"""torch-geometric: GCN, GAT and SAGE on a graph, batches of graphs, pooling, heterogeneous graphs."""
# requires: torch-geometric

import torch
from report import report, report_training
from torch_geometric.data import Data, HeteroData
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, SAGEConv, global_mean_pool, to_hetero

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 3, 4, 4, 0], [1, 0, 2, 1, 4, 3, 0, 4]])
graph = Data(x=torch.randn(5, 6), edge_index=edges, y=torch.tensor([0, 1, 0, 1, 1]))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = GCNConv(6, 8), GATConv(8, 8, heads=2, concat=False), SAGEConv(8, 2)

    def forward(self, x, edge_index):
        x = self.first(x, edge_index).relu()
        return self.third(self.second(x, edge_index).relu(), edge_index)


net = Net()
report("forward", net(graph.x, graph.edge_index))
report_training(net, lambda: torch.nn.functional.cross_entropy(net(graph.x, graph.edge_index), graph.y))
for batch in DataLoader([graph, graph, graph], batch_size=2):
    report(f"pooled {batch.num_graphs}", global_mean_pool(net(batch.x, batch.edge_index), batch.batch))
report("properties", [graph.is_undirected(), graph.has_isolated_nodes(), graph.num_edges])

hetero = HeteroData()
hetero["a"].x, hetero["b"].x = torch.randn(3, 6), torch.randn(2, 6)
hetero["a", "to", "b"].edge_index = torch.tensor([[0, 1, 2], [0, 1, 1]])
hetero["b", "from", "a"].edge_index = torch.tensor([[0, 1], [2, 0]])


class Sage(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = SAGEConv((-1, -1), 4), SAGEConv((-1, -1), 2)

    def forward(self, x, edge_index):
        return self.second(self.first(x, edge_index).relu(), edge_index)


model = to_hetero(Sage(), hetero.metadata())
report("heterogeneous", model(hetero.x_dict, hetero.edge_index_dict))
