module example.com/model-gateway/go

go 1.23
