% Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
pkg load mindtorch
1;  % a script that begins with functions

function [x, labels] = make_spirals (arms, points)
  arm = repelem (0:arms - 1, points);
  i = repmat (0:points - 1, 1, arms);
  radius = (i + 1) / points;
  angle = arm * 2 * pi / arms + 4 * radius + 0.1 * sin (37 * i);
  x = torch.tensor ([radius .* cos(angle); radius .* sin(angle)]');
  labels = torch.tensor (int64 (arm)).flatten ();
endfunction

function net = make_network (arms, hidden)
  net.("0.weight") = torch.randn ([hidden 2]);
  net.("0.bias") = torch.zeros (hidden);
  net.("2.weight") = torch.randn ([arms hidden]) * 0.125;
  net.("2.bias") = torch.zeros (arms);
  structfun (@(weight) weight.requires_grad_ (), net, "UniformOutput", false);
endfunction

function y = forward (x, net)
  y = x.linear (net.("0.weight"), net.("0.bias")).tanh ().linear (net.("2.weight"), net.("2.bias"));
endfunction

% One step of gradient descent: the loss and the accuracy before it.
function [loss, accuracy] = descend (net, x, labels, rate)
  logits = forward (x, net);
  loss = logits.cross_entropy_loss (labels);
  loss.backward ();
  guard = torch.no_grad ();  % until the function returns
  for [weight, name] = net
    weight.add_ (weight.grad, "alpha", -rate);
    weight.grad = [];
  endfor
  loss = loss.item ();
  accuracy = double (sum (logits.argmax (1) == labels)) / numel (labels);
endfunction

printf ("mindtorch %s\n", torch.version ());
[x, labels] = make_spirals (3, 100);
torch.manual_seed (7);
net = make_network (3, 64);
for step = 1:400
  [loss, accuracy] = descend (net, x, labels, 1);
  if (step == 1 || mod (step, 100) == 0)
    printf ("step %d: loss %.6f, accuracy %.4f\n", step, loss, accuracy);
  endif
endfor

file = [tempname() ".safetensors"];
torch.save (net, file);
loaded = torch.load (file);
printf ("loaded %s\n", strjoin (fieldnames (loaded)', " "));
delete (file);

try
  x.add (labels);
catch problem
  printf ("%s: %s\n", problem.identifier, problem.message);
end_try_catch
